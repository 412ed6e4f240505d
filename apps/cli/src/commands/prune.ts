import { rmSync } from "node:fs";
import { join } from "node:path";
import { deleteRefs } from "@quasar/git";
import { periodMs } from "../config/kinds.ts";
import { CliError } from "../errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { lockWorkspace } from "../lock.ts";
import { findOutliving } from "../orphans.ts";
import { jsonLine } from "../output/clean.ts";
import { count, processes, span } from "../output/format.ts";
import { JSON_VERSION, viewOf, write } from "../output/reporter.ts";
import { labelled, nextLines } from "../output/text.ts";
import { parseRunId } from "../run-id.ts";
import { isSetAside, runIds, summarize } from "../runs/list.ts";
import type { RunSummary } from "../runs/summary.ts";
import { listLines } from "../runs/text.ts";
import { forgetSeed } from "../work.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { snapshotPrefix } from "./snapshots.ts";

export interface PruneOptions {
  readonly olderThan: string;
  readonly dryRun?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar prune`: removes what is kept of runs that have ended. The only command that deletes. */
export async function pruneCommand(
  id: string | undefined,
  { olderThan, dryRun, json }: PruneOptions,
): Promise<ExitCode> {
  const wanted = id === undefined ? undefined : parseRunId(id);
  const age = periodMs(olderThan);
  if (age === undefined) {
    throw new CliError("ERR_USAGE", "--older-than must be a length of time such as 12h or 30d", {
      next: ["quasar prune --dry-run --older-than 30d"],
    });
  }
  const workspace = await openWorkspace(process.cwd());
  // What is only looked at may be looked at while a runner works.
  const live = dryRun === true;
  const lock = live ? undefined : await lockWorkspace(workspace);
  try {
    const runs =
      wanted === undefined
        ? (await summarize(workspace, runIds(workspace), { live })).filter(
            (run) => hasEnded(run) && Date.now() - Date.parse(run.savedAt) >= age,
          )
        : [await named(workspace, wanted, live)];
    const ids = runs.map((run) => run.id);
    if (dryRun !== true) {
      await refuseLive(ids);
      for (const runId of ids) await remove(workspace, runId);
    }
    if (json === true) {
      const facts = { dryRun: dryRun === true, runs: ids };
      process.stdout.write(jsonLine({ v: JSON_VERSION, type: "prune", ...facts }));
      return EXIT.ok;
    }
    const view = viewOf(process.stdout);
    const what = `${count(runs.length, "run")} ${dryRun === true ? "would be removed" : "removed"}`;
    const none = `no run that has ended was last saved more than ${span(age)} ago`;
    const hint = runs.length > 0 ? [] : labelled(view, "because", none);
    const next =
      runs.length > 0 && dryRun === true ? nextLines([again(wanted, olderThan)], view) : [];
    write(process.stdout, [view.paint("bold", what), ...listLines(runs, view), ...hint, ...next]);
    return EXIT.ok;
  } finally {
    lock?.release();
  }
}

/** The same command, for real. */
function again(wanted: string | undefined, olderThan: string): string {
  return `quasar prune ${wanted ?? `--older-than ${olderThan}`}`;
}

function hasEnded({ status }: RunSummary): boolean {
  return status === "approved" || status === "abandoned";
}

async function named(workspace: Workspace, id: string, live: boolean): Promise<RunSummary> {
  const known = runIds(workspace).filter((each) => each === id);
  const [run] = await summarize(workspace, known, { live });
  if (run === undefined) {
    throw new CliError("ERR_USAGE", `there is no run ${id} in this work tree`, {
      next: ["quasar ls --all"],
    });
  }
  if (hasEnded(run) || isSetAside(join(workspace.runsDir, id))) return run;
  if (run.status === "damaged") {
    throw new CliError("ERR_STATE", `run ${id} cannot be read: ${run.reason}`, { next: run.next });
  }
  throw new CliError("ERR_STATE", `run ${id} has not ended: it is ${run.status}`, {
    next: [`quasar resume ${id}`, `quasar abandon ${id}   (gives it up)`],
  });
}

async function refuseLive(ids: readonly string[]): Promise<void> {
  const [alive] = await findOutliving(ids);
  if (alive === undefined) return;
  const message = `an agent of run ${alive.runId} still works: ${processes(alive.pids)}`;
  throw new CliError("ERR_AGENT_ALIVE", message, { next: ["quasar doctor --fix"] });
}

/** The refs first: a run whose files are there can be pruned again. */
async function remove(workspace: Workspace, id: string): Promise<void> {
  await forgetSeed(workspace, id);
  await deleteRefs(workspace.root, snapshotPrefix(id));
  rmSync(join(workspace.runsDir, id), { recursive: true, force: true });
}
