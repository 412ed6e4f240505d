import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
// @boundaries-ignore what the model stub of the real agents is asked
import type { ModelRequest } from "../../../packages/agents/real/model-request.ts";
// @boundaries-ignore what that stub answers
import type { ModelTurn } from "../../../packages/agents/real/model-answer.ts";
import { firstTaskPlace, type FirstTaskPlace, project, type RealAgent } from "./first-task.ts";

/** The phases of the nebula. */
export const IDS = ["one", "two", "three", "four"] as const;
const NEEDS: Readonly<Record<string, string>> = { three: '["one"]', four: '["two", "three"]' };

export const projectOf = (files: Readonly<Record<string, string>>) =>
  project({ name: "plain", files: { "a.txt": "a\n", ...files }, test: "true", writes: [] });

/** A small project, and in it a nebula of four phases; its model knows what each of them does. */
export async function nebulaPlace(agent: RealAgent): Promise<FirstTaskPlace> {
  const at = await firstTaskPlace(projectOf({}), agent);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(at.repo, path)), { recursive: true });
    writeFileSync(join(at.repo, path), text);
  };
  write("nebula/nebula.toml", '[nebula]\nname = "real"\n[execution]\nverify = ["test -e a.txt"]\n');
  for (const id of IDS) {
    const needs = NEEDS[id] === undefined ? "" : `depends_on = ${NEEDS[id]}\n`;
    write(`nebula/${id}.md`, `+++\nid = "${id}"\ntitle = "Phase ${id}"\n${needs}+++\nDo ${id}.\n`);
  }
  at.stub.script = answer;
  return at;
}

function answer(request: ModelRequest): ModelTurn {
  if (isReview(request)) return APPROVAL;
  const tree = treeOf(request);
  const file = `${phaseOf(request)}.txt`;
  const steps: readonly ModelTurn[] = [
    { write: { path: join(tree, file), content: `${file}\n` } },
    { text: `Wrote ${file}.\nCOMMIT: feat: add ${file}` },
  ];
  return steps[request.step] ?? { text: "Done." };
}

const APPROVAL: ModelTurn = {
  json: {
    verdict: "approved",
    findings: [],
    verifications: [],
    questions: null,
    report: { satisfaction: "high", risk: "low", needs_human_review: false, summary: "Fine." },
  },
};

const isReview = (request: ModelRequest): boolean => said(request).includes("You are the reviewer");

const said = ({ system, prompts }: ModelRequest): string => `${system}\n${prompts.join("\n")}`;

/** The work tree that a request is of; `""`: the agent does not say it to its model. */
export function treeOf(request: ModelRequest): string {
  return /\/\S+\/p\d-[0-9a-f]{8}/u.exec(said(request))?.[0] ?? "";
}

/** The phase that a request is of. */
export function phaseOf({ prompts }: ModelRequest): string {
  return /Do (one|two|three|four)\./u.exec(prompts.join("\n"))?.[1] ?? "none";
}

/** What was asked, in no order: phases work side by side. */
export const asked = ({ stub }: FirstTaskPlace): readonly string[] =>
  stub.requests
    .map((request) => {
      const role = isReview(request) ? "reviewer" : "coder";
      return `${phaseOf(request)} ${role} ${request.step}`;
    })
    .toSorted();

/** The phases that have landed in a repository, in the order of {@link IDS}: as often as they have, with their files. */
export function landedIn({ git }: FirstTaskPlace, repository: string): readonly string[] {
  const of = (...args: string[]): readonly string[] =>
    git("-C", repository, ...args, "--").split("\n");
  const landings = of("log", "--first-parent", "--merges", "--format=%s", "nebula/real");
  const files = new Set(of("ls-tree", "--name-only", "nebula/real"));
  return IDS.flatMap((id) =>
    landings
      .filter((line) => line === `Land ${id}: Phase ${id}` && files.has(`${id}.txt`))
      .map(() => id),
  );
}
