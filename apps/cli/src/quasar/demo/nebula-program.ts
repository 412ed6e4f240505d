import { USD_PER_ANSWER } from "./model.ts";

/** The nebula of the demo, and what its agents do: real functions, and real tests of them. */

export const NEBULA = "text";
export const DIR = `.nebulas/${NEBULA}`;

interface DemoPhase {
  readonly id: string;
  readonly title: string;
  readonly needs: readonly string[];
  /** The higher, the earlier it lands. */
  readonly priority: number;
  readonly body: string;
}

export const PHASES: readonly DemoPhase[] = [
  {
    id: "slug",
    title: "Add slug()",
    needs: [],
    priority: 0,
    body: "Write slug(): the words of a text with hyphens between them. Export it from index.js.",
  },
  {
    id: "title",
    title: "Add title()",
    needs: [],
    priority: 1,
    body: "Write title(): the words of a text, each with a capital. Export it from index.js.",
  },
  {
    id: "cli",
    title: "Add a command",
    needs: ["slug"],
    priority: 0,
    body: "Write bin.js: it prints the slug of its arguments.",
  },
  {
    id: "readme",
    title: "Describe all of it",
    needs: ["title", "cli"],
    priority: 0,
    body: "Write README.md: what there is, with an example of each.",
  },
];

const MANIFEST = `[nebula]
name = "${NEBULA}"

[execution]
max_workers = 2
merge_order = "plan"
verify = ["node --test"]
min_free = "64MB"
`;

function phaseFile({ id, title, needs, priority, body }: DemoPhase): string {
  return `+++
id = ${JSON.stringify(id)}
title = ${JSON.stringify(title)}
depends_on = ${JSON.stringify(needs)}
priority = ${priority}
+++

${body}
`;
}

const EXPORTS = {
  words: 'export { words } from "./words.js";\n',
  slug: 'export { slug } from "./slug.js";\n',
  title: 'export { title } from "./title.js";\n',
};

const WORDS = `/** The words of a text, in lower case. */
export function words(text) {
  return text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? [];
}
`;

function testOf(name: string, call: string, expected: string): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { ${name} } from "./index.js";

test("${name}() of a text", () => {
  assert.deepEqual(${call}, ${expected});
});
`;
}

/** The files before anybody works on them. */
export const FILES: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: NEBULA, private: true, type: "module" }, null, 2)}\n`,
  "index.js": EXPORTS.words,
  "words.js": WORDS,
  "words.test.js": testOf("words", 'words("One, two")', '["one", "two"]'),
  [`${DIR}/nebula.toml`]: MANIFEST,
  ...Object.fromEntries(
    PHASES.map((phase, at) => [`${DIR}/${at + 1}-${phase.id}.md`, phaseFile(phase)]),
  ),
};

const SLUG = `import { words } from "./words.js";

/** A text as a part of a URL. */
export function slug(text) {
  return words(text).join("-");
}
`;

const TITLE = `import { words } from "./words.js";

/** A text as a title: each word with a capital. */
export function title(text) {
  return words(text)
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join(" ");
}
`;

const BIN = `#!/usr/bin/env node
import { slug } from "./index.js";

console.log(slug(process.argv.slice(2).join(" ")));
`;

const BIN_TEST = `import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

test("bin.js prints a slug", () => {
  const printed = execFileSync(process.execPath, ["bin.js", "One", "two"], { encoding: "utf8" });
  assert.equal(printed, "one-two\\n");
});
`;

const README = `# text

- \`words("One, two")\` is \`["one", "two"]\`
- \`slug("One, two")\` is \`"one-two"\`
- \`title("one, two")\` is \`"One Two"\`
- \`node bin.js One two\` prints \`one-two\`
`;

const BODY = Object.fromEntries(PHASES.map(({ id, body }) => [id, body]));

/** A regular expression that the prompt of a phase's coder fits. */
function promptOf(id: string): string {
  return (BODY[id] ?? "").replaceAll(/[().]/gu, String.raw`\$&`);
}

/** What the agents do, by the demo's own names: the first turn that fits the prompt is played. */
const TURNS = {
  "title again": {
    role: "coder",
    match: `${promptOf("title")}.*REWORK:`,
    says: ["index.js is in conflict: both sides add an export", "Keeping both"],
    files: { "index.js": EXPORTS.words + EXPORTS.slug + EXPORTS.title },
    text: "index.js exports both functions.\n\nCOMMIT: Export title() beside slug()",
    delayMs: 1200,
  },
  slug: {
    role: "coder",
    match: promptOf("slug"),
    says: ["Reading words.js"],
    files: {
      "slug.js": SLUG,
      "slug.test.js": testOf("slug", 'slug("One, two")', '"one-two"'),
      "index.js": EXPORTS.words + EXPORTS.slug,
    },
    text: "slug() is there, with a test.\n\nCOMMIT: Add slug()",
    delayMs: 600,
  },
  title: {
    role: "coder",
    match: promptOf("title"),
    says: ["Reading words.js", "Running node --test"],
    files: {
      "title.js": TITLE,
      "title.test.js": testOf("title", 'title("one, two")', '"One Two"'),
      "index.js": EXPORTS.words + EXPORTS.title,
    },
    text: "title() is there, with a test.\n\nCOMMIT: Add title()",
    delayMs: 900,
  },
  cli: {
    role: "coder",
    match: promptOf("cli"),
    says: ["Reading slug.js", "Running node --test"],
    files: { "bin.js": BIN, "bin.test.js": BIN_TEST },
    text: "bin.js prints a slug, and a test holds that.\n\nCOMMIT: Add a command",
    delayMs: 1200,
  },
  readme: {
    role: "coder",
    match: promptOf("readme"),
    says: ["Reading index.js and bin.js"],
    files: { "README.md": README },
    text: "README.md describes all of it.\n\nCOMMIT: Describe all of it",
    delayMs: 600,
  },
  review: {
    role: "reviewer",
    says: ["Reading the diff"],
    text: "APPROVED: it is what was asked for, and a test holds it.",
    delayMs: 400,
  },
} as const;

export type DemoTurn = keyof typeof TURNS;

/** The turns that are killed, and the step that neither gets an answer for before that. */
export const KILLED = { turns: ["title again", "cli"], step: 1 } as const satisfies {
  readonly turns: readonly DemoTurn[];
  readonly step: number;
};

/** The name of a turn, by its place in the script. */
export function turnAt(place: number): string {
  return Object.keys(TURNS)[place] ?? "";
}

/** @param model - Where the model is asked. @param sessions - Where the agents keep what they were answered. */
export function script(model: string, sessions: string): object {
  return { turns: Object.values(TURNS), model, sessions, responseUsd: USD_PER_ANSWER };
}
