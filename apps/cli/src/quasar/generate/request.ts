import type { SpecProblem } from "@quasar/nebula/spec";

/** An answer that was refused. */
export interface Refused {
  readonly answer: string;
  readonly problems: readonly SpecProblem[];
}

const MOST_PROBLEMS = 50;
const MOST_CHARACTERS = 100_000;

const FORM = `HOW TO ANSWER:
Read the repository first, and change nothing in it. Then answer with every file of the nebula: a line with FILE: and its name, then its
text between two lines of five backticks. For example:

FILE: nebula.toml
\`\`\`\`\`
[nebula]
name = "tokens"
description = "Refuse requests without a valid token"

[execution]
max_workers = 2
verify = ["npm test"]

[context]
goals = ["Every request has a token"]
constraints = ["No new dependency"]
\`\`\`\`\`

FILE: 01-model.md
\`\`\`\`\`
+++
id = "model"
title = "Add the token's model"
scope = ["src/auth/model/**"]
+++

What is to be done, and how somebody sees that it is done.
\`\`\`\`\`

FILE: 02-check.md
\`\`\`\`\`
+++
id = "check"
title = "Check tokens on each request"
depends_on = ["model"]
scope = ["src/auth/check/**", "test/auth/**"]
+++

What is to be done.
\`\`\`\`\`

RULES:
- A phase is a piece of work that one agent can finish and that passes its tests alone. Its agents see nothing but its own text.
- depends_on names the ids of phases whose work it needs. Phases that do not need each other are worked on at the same time.
- scope names the paths and patterns that a phase may change. Phases whose scopes overlap depend on each other.
- verify has the commands that this repository already has for its tests. Leave it out where there is none.
- The names of files are nebula.toml, and for each phase letters, digits and hyphens that end in .md. There are no folders.`;

/** What an agent is asked: a plan as a nebula, and what was wrong with its last one. */
export function planningRequest(wish: string, refused?: Refused): string {
  const parts = [
    "Plan work for coding agents as a nebula: a folder of phases. Each phase is worked on by itself, and all of them land on one branch.",
    `WHAT TO PLAN:\n${wish}`,
    FORM,
    ...(refused === undefined ? [] : [again(refused)]),
  ];
  return parts.join("\n\n");
}

function again({ answer, problems }: Refused): string {
  const errors = problems.filter(({ severity }) => severity === "error").slice(0, MOST_PROBLEMS);
  const list = errors.map(({ file, message }) => `- ${file}: ${message}`).join("\n");
  return `YOUR LAST ANSWER WAS REFUSED:
${list}

Put that right, and answer with every file again. The last answer was:

${answer.slice(0, MOST_CHARACTERS)}`;
}
