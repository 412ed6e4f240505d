import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CheckpointError } from "@quasar/checkpoint";
import { DurableError, readJournal, recoverDirectory } from "@quasar/durable";
import {
  JOURNAL_FILE,
  isSetAside,
  runIds,
  loadRun,
  runStores,
  damagedNext,
  supervisorFailures,
} from "@quasar/runs";
import { count, shellWord } from "@quasar/runs/text";
import type { Ground, Problem } from "./problem.ts";

const SET_ASIDE = /\.damaged-/u;
const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/u;

/** Runs that cannot be read, files that were set aside, turns without a run. */
export async function lookAtRuns({ workspace }: Ground): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const id of runIds(workspace)) {
    const dir = join(workspace.runsDir, id);
    if (!isFolder(dir)) {
      problems.push({
        message: `${dir} is not a run's folder`,
        next: [`ls -ld ${shellWord(dir)}`],
      });
      continue;
    }
    const aside = namesIn(dir).filter((name) => SET_ASIDE.test(name));
    if (aside.length > 0) {
      problems.push({
        message: `run ${id}: ${count(aside.length, "damaged file")} set aside: ${aside.join(", ")}`,
        next: [
          `less ${shellWord(join(dir, aside[0] ?? ""))}`,
          isSetAside(dir)
            ? `quasar prune ${id}   (removes all of the run)`
            : `rm ${shellWord(dir)}/*.damaged-*   (when you are done with them)`,
        ],
      });
    }
    if (!isSetAside(dir)) problems.push(...(await readable(workspace, id, dir)));
  }
  return problems;
}

async function readable(
  workspace: Ground["workspace"],
  id: string,
  dir: string,
): Promise<readonly Problem[]> {
  try {
    const { loaded, ended } = await loadRun(runStores(workspace, id));
    if (loaded === undefined) {
      const names = namesIn(join(dir, "turns"));
      if (names.every((name) => name.endsWith(".err"))) return [];
      return [
        {
          message: `run ${id} has turns but no checkpoint`,
          next: [`ls ${shellWord(join(dir, "turns"))}`],
        },
      ];
    }
    const damaged = [...new Set(loaded.problems)].map((problem) => ({
      message: `run ${id}: ${problem}`,
      next: [`quasar resume ${id}   (uses what can be read)`],
    }));
    return ended ? damaged : [...damaged, ...failuresIn(workspace, id)];
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    return [{ message: `run ${id}: ${error.message}`, next: damagedNext(id, error) }];
  }
}

/** Supervisors of an unfinished run's turns that failed by themselves: the machine's fault, or ours. */
function failuresIn(workspace: Ground["workspace"], id: string): readonly Problem[] {
  return supervisorFailures(workspace, id).map(({ turnId, text }) => ({
    message: `the supervisor of turn ${turnId} failed: ${text.split("\n")[0]}`,
    next: [`quasar show ${id}   (shows all of it)`],
  }));
}

/** Journals whose chain is broken. */
export function lookAtJournals({ workspace }: Ground): readonly Problem[] {
  const ids = runIds(workspace).filter((id) => isFolder(join(workspace.runsDir, id)));
  return ids.flatMap((id): readonly Problem[] => {
    const next = [`quasar log ${id}   (what comes before)`];
    try {
      const damage = readJournal(join(workspace.runsDir, id, JOURNAL_FILE))?.damage;
      return damage === undefined ? [] : [{ message: `run ${id}: ${damage.message}`, next }];
    } catch (error) {
      if (!(error instanceof DurableError)) throw error;
      return [{ message: `run ${id}: ${error.message}`, next }];
    }
  });
}

/** What a killed saver has left: none of it was ever acknowledged. */
export function lookAtTemporary({ workspace }: Ground): readonly Problem[] {
  return runIds(workspace).flatMap((id) => {
    const dir = join(workspace.runsDir, id);
    const names = namesIn(dir).filter((name) => TEMPORARY.test(name) && isFile(join(dir, name)));
    if (names.length === 0) return [];
    const fix = { does: "remove what was never a save", run: () => recoverDirectory(dir) };
    return [{ message: `run ${id}: ${count(names.length, "unfinished save")}`, fix, next: [] }];
  });
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
