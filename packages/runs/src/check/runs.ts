import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CheckpointError } from "@quasar/checkpoint";
import { DurableError, recoverDirectory } from "@quasar/durable";
import { readJournal } from "@quasar/durable/journal";
import { JOURNAL_FILE } from "../journal/journal.ts";
import { isQuarantined, runIds } from "../look/list.ts";
import { damagedNext } from "../look/summary.ts";
import { supervisorFailures } from "../look/supervisor-failures.ts";
import { loadRunSummary, runStores } from "../store.ts";
import { count, shellWord } from "../text/format.ts";
import { usableKey } from "../user/user.ts";
import type { Workspace } from "../workspace.ts";
import type { Place, Problem } from "./problem.ts";

const QUARANTINED = /\.damaged-/u;
const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/u;

/** Runs that cannot be read, files that were quarantined, turns without a run. */
export async function* lookAtRuns({ workspace, user }: Place): AsyncGenerator<Problem, undefined> {
  const sealKey = usableKey(user);
  for (const id of runIds(workspace)) {
    const dir = join(workspace.runsDir, id);
    if (!isFolder(dir)) {
      const message = `${dir} is not a run's folder`;
      yield { code: "NOT_A_FOLDER", message, next: [{ shell: `ls -ld ${shellWord(dir)}` }] };
      continue;
    }
    const aside = namesIn(dir).filter((name) => QUARANTINED.test(name));
    const isLost = aside.length > 0 && isQuarantined(dir);
    if (aside.length > 0) yield quarantinedProblem(id, { dir, names: aside, isLost });
    if (!isLost) yield* await readable(workspace, id, sealKey);
  }
}

interface Aside {
  readonly dir: string;
  readonly names: readonly string[];
  /** Whether nothing else is left of the run's checkpoint. */
  readonly isLost: boolean;
}

function quarantinedProblem(id: string, { dir, names, isLost }: Aside): Problem {
  return {
    code: "QUARANTINED",
    message: `run ${id}: ${count(names.length, "damaged file")} quarantined: ${names.join(", ")}`,
    next: [
      { shell: `less ${shellWord(join(dir, names[0] ?? ""))}` },
      isLost
        ? { do: "prune", runId: id, note: "removes all of the run" }
        : { shell: `rm ${shellWord(dir)}/*.damaged-*`, note: "when you are done with them" },
    ],
  };
}

async function readable(
  workspace: Workspace,
  id: string,
  sealKey: Uint8Array | undefined,
): Promise<readonly Problem[]> {
  try {
    const { loaded, ended } = await loadRunSummary(runStores(workspace, id, sealKey));
    if (loaded === undefined) return withoutCheckpoint(id, join(workspace.runsDir, id, "turns"));
    const next = [{ do: "resume", runId: id, note: "uses what can be read" }] as const;
    const damaged = [...new Set(loaded.problems)].map((problem) => {
      return { code: "DAMAGED", message: `run ${id}: ${problem}`, next } as const;
    });
    return ended ? damaged : [...damaged, ...failuresIn(workspace, id)];
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    const message = `run ${id}: ${error.message}`;
    return [{ code: "UNREADABLE", message, next: damagedNext(id, error) }];
  }
}

function withoutCheckpoint(id: string, turnsDir: string): readonly Problem[] {
  if (namesIn(turnsDir).every((name) => name.endsWith(".err"))) return [];
  const message = `run ${id} has turns but no checkpoint`;
  return [{ code: "NO_CHECKPOINT", message, next: [{ shell: `ls ${shellWord(turnsDir)}` }] }];
}

/** Supervisors of an unfinished run's turns that failed by themselves: the machine's fault, or ours. */
function failuresIn(workspace: Workspace, id: string): readonly Problem[] {
  return supervisorFailures(workspace, id).map(({ turnId, text }) => ({
    code: "SUPERVISOR_FAILED",
    message: `the supervisor of turn ${turnId} failed: ${text.split("\n")[0]}`,
    next: [{ do: "show", runId: id, note: "shows all of it" }],
  }));
}

/** Journals whose chain is broken. */
export function* lookAtJournals({ workspace }: Place): Generator<Problem, undefined> {
  for (const id of runIds(workspace)) {
    const dir = join(workspace.runsDir, id);
    const problem = isFolder(dir) ? journalProblem(join(dir, JOURNAL_FILE)) : undefined;
    const next = [{ do: "watch", runId: id, note: "what comes before" }] as const;
    if (problem !== undefined)
      yield { code: "JOURNAL_DAMAGED", message: `run ${id}: ${problem}`, next };
  }
}

function journalProblem(path: string): string | undefined {
  try {
    return readJournal(path, { joins: true })?.damage?.message;
  } catch (error) {
    if (error instanceof DurableError) return error.message;
    throw error;
  }
}

/** What a killed saver has left: none of it was ever acknowledged. */
export function* lookAtTemporary({ workspace }: Place): Generator<Problem, undefined> {
  for (const id of runIds(workspace)) {
    const dir = join(workspace.runsDir, id);
    const names = namesIn(dir).filter((name) => TEMPORARY.test(name) && isFile(join(dir, name)));
    if (names.length === 0) continue;
    const message = `run ${id}: ${count(names.length, "unfinished save")}`;
    const fix = { does: "remove what was never a save", run: () => recoverDirectory(dir) };
    yield { code: "UNFINISHED_SAVE", message, fix, next: [] };
  }
}

function namesIn(dir: string): readonly string[] {
  return isFolder(dir) ? readdirSync(dir) : [];
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
