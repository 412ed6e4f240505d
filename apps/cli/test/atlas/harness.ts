import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endTaskAgents, listTasks } from "@quasar/tasks";
import { onTestFinished } from "vitest";
// @boundaries-ignore which agents of a task live: the library only ends them
import { findTaskAgents } from "../../../../packages/tasks/src/runs/task-agents.ts";
import {
  type Finished,
  git,
  lastRecord,
  place,
  type Place,
  type Running,
  start,
  type StartOptions,
  write,
} from "../harness.ts";
import { agents, APPROVAL, type Turn } from "../scripts.ts";

/** The command as it is shipped. */
export const ATLAS: string = fileURLToPath(new URL("../../dist/atlas.js", import.meta.url));

/** A repository, and an ATLAS_HOME of its own. */
export interface AtlasPlace extends Place {
  readonly home: string;
}

/** A repository whose user commits without flags; what is left running of its tasks ends with the test. */
export function atlasPlace(files?: Readonly<Record<string, string>>): AtlasPlace {
  const made = place(files);
  const home = join(made.outside, "atlas");
  git(made, "config", "user.name", "Test");
  git(made, "config", "user.email", "test@localhost");
  onTestFinished(async () => {
    for (const { dir } of listTasks(home)) await endTaskAgents(dir);
  });
  const at = { ...made, home, env: { ...made.env, ATLAS_HOME: home } };
  withTemplates(at);
  return at;
}

export function startAtlas(
  at: Place,
  args: readonly string[],
  options: StartOptions = {},
): Running {
  return start(at, args, { ...options, main: ATLAS });
}

/** Runs `atlas` to its end. */
export function atlas(
  at: Place,
  args: readonly string[],
  options: StartOptions = {},
): Promise<Finished> {
  return startAtlas(at, args, options).finished;
}

/** Runs `atlas … --json` and gives the exit code and the last record. */
export async function atlasJson(
  at: Place,
  args: readonly string[],
  options: StartOptions = {},
): Promise<Record<string, unknown> & { readonly code: number | null }> {
  const finished = await atlas(at, [...args, "--json"], options);
  return { ...lastRecord(finished), code: finished.code };
}

/** The one task's work tree. */
export function workTreeOf(at: AtlasPlace): string {
  const [task] = listTasks(at.home);
  if (task?.hook === undefined) throw new Error("there is no task");
  return task.hook.worktreePath;
}

/** The one task's folder. */
export function taskDirOf(at: AtlasPlace): string {
  const [task] = listTasks(at.home);
  if (task === undefined) throw new Error("there is no task");
  return task.dir;
}

/** Processes of the one task's agents, by run. */
export function agentsOf(at: AtlasPlace): ReturnType<typeof findTaskAgents> {
  return findTaskAgents(taskDirOf(at));
}

/** Ids of the one task's receipts, by name. */
export function receiptsOf(at: AtlasPlace): readonly string[] {
  return readdirSync(join(taskDirOf(at), "artifacts/receipts"))
    .filter((name) => name.endsWith(".dsse.json"))
    .map((name) => name.replace(".dsse.json", ""))
    .toSorted();
}

/** Analyzes, then writes `work.txt`, which is approved. */
export const FIX: readonly Turn[] = [
  { role: "coder", match: "Step: analyze", text: "The cause is found.", costUsd: 0.1 },
  { role: "coder", text: "Fixed.", files: { "work.txt": "right\n" }, costUsd: 0.2 },
  { role: "reviewer", text: APPROVAL, costUsd: 0.1 },
];

/** Writes a script and makes it both agents of every task. */
export function scripted(
  at: AtlasPlace,
  turns: readonly Turn[] = FIX,
  model?: string,
): readonly string[] {
  return agents(at, turns, model === undefined ? {} : { model });
}

/** What a bugfix is validated by here: one command that only the work makes pass. */
export const VALIDATED: readonly string[] = ["--validate", "test -f work.txt"];

/** A bugfix that waits for the review of its work. */
export async function reviewed(at: AtlasPlace): Promise<void> {
  const args = ["start", "fix null pointer in config", "--template", "bugfix", ...VALIDATED];
  const started = await atlas(at, [...args, ...scripted(at)]);
  if (started.code !== 9) throw new Error(`exit code ${started.code}: ${started.stderr}`);
}

const LOOP = `[[steps]]
name = "implement"
type = "loop"
description = "Do it"
prompt = "{{description}}"
`;
const REVIEW = `[[steps]]
name = "review"
type = "human"
description = "Look at it"
prompt = "Is it right?"
`;
const VALIDATION = `[[steps]]
name = "validate"
type = "validation"
description = "Check it"
`;
const HEAD = 'description = "Of a test"\nbranch_prefix = "test"\n';

/** Templates that are quicker than those that come with the command. */
const TEMPLATES: Readonly<Record<string, string>> = {
  look: `id = "look"\n${HEAD}${REVIEW}`,
  check: `id = "check"\n${HEAD}${VALIDATION}`,
  write: `id = "write"\n${HEAD}${LOOP}${REVIEW}`,
};

function withTemplates(at: AtlasPlace): void {
  const names = Object.keys(TEMPLATES);
  const lines = names.map((name) => `templates.${name} = "${name}.toml"\n`);
  const files = Object.entries(TEMPLATES).map(([name, text]) => [`${name}.toml`, text] as const);
  write(at.home, { "config.toml": lines.join(""), ...Object.fromEntries(files) });
}

/** A task that waits for its review: of nothing, or of what a loop has written. */
export async function waiting(
  at: AtlasPlace,
  template: "look" | "write" = "look",
  args: readonly string[] = [],
): Promise<void> {
  const line = ["start", "fix null pointer in config", "--template", template, ...args];
  const started = await atlas(at, [...line, ...scripted(at)]);
  if (started.code !== 9) throw new Error(`exit code ${started.code}: ${started.stderr}`);
}

/** A change to the task's work tree by somebody else. */
export function meddle(at: AtlasPlace): void {
  appendFileSync(join(workTreeOf(at), "work.txt"), "and more\n");
}
