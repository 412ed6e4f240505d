import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import type { Running } from "../place.ts";
import type { Victim } from "./table.ts";

/** The processes of a turn. */
export interface TurnProcesses {
  readonly runner: Running;
  readonly supervisor: number;
  readonly agent: number;
  /** The process that the agent has started to work in its place; the agent itself where there is none. */
  worker(): number;
}

/** Folder of the run that is the only one of a repository; `undefined` before there is one. */
function runFolder(repo: string): string | undefined {
  const runs = join(repo, ".git", "quasar", "runs");
  const id = namesIn(runs)[0];
  return id === undefined ? undefined : join(runs, id);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Takes in processes whose parent has ended. */
const INIT = 1;

/** Who works for a turn now; `undefined` before there is an agent. */
export function processesOf(
  repo: string,
  turn: number,
  runner: Running,
): TurnProcesses | undefined {
  const folder = runFolder(repo);
  if (folder === undefined) return undefined;
  try {
    const named = readFileSync(join(folder, "turns", `${turn}.agent`), "utf8");
    const { pid: agent } = JSON.parse(named) as { readonly pid: number };
    const supervisor = parentOf(agent);
    return supervisor === INIT
      ? undefined
      : { runner, agent, supervisor, worker: () => childOf(agent) ?? agent };
  } catch {
    return undefined;
  }
}

/** The process that started another one, on Linux. */
function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
}

function childOf(pid: number): number | undefined {
  const [first = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return first === "" ? undefined : Number(first);
}

export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const PIDS: Readonly<Record<Victim, (of: TurnProcesses) => readonly number[]>> = {
  runner: ({ runner }) => [runner.pid],
  supervisor: ({ supervisor }) => [supervisor],
  agent: ({ agent }) => [agent],
  worker: ({ worker }) => [worker()],
  everything: ({ runner, supervisor, agent }) => [runner.pid, supervisor, agent],
};

/** Kills at once, what has ended already excepted. */
export function kill(victim: Victim, of: TurnProcesses): void {
  for (const pid of PIDS[victim](of)) if (isThere(pid)) process.kill(pid, "SIGKILL");
}

/** How long what a run has started may take to end when the run has. */
const END_MS = 5000;

/** How many processes of a repository's run are left when it has ended. */
export async function leftOf(repo: string): Promise<number> {
  const id = runFolder(repo)?.split("/").at(-1);
  const count = (): number => (id === undefined ? 0 : (findRunProcesses(id)?.length ?? 0));
  const deadline = performance.now() + END_MS;
  while (count() > 0 && performance.now() < deadline) await sleep(100);
  return count();
}
