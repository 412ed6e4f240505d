import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { deleteRefs } from "@quasar/git";
import { periodMs } from "../../shared/config/kinds.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { lockWorkspace } from "../lock.ts";
import { findOutliving } from "../orphans.ts";
import { jsonLine } from "../../shared/output/clean.ts";
import { count, processes, size, span } from "../../shared/output/format.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { parseRunId } from "../run-id.ts";
import { isSetAside, runIds, summarize } from "../runs/list.ts";
import type { RunSummary } from "../runs/summary.ts";
import { listLines } from "../runs/text.ts";
import { forgetSeed } from "../work.ts";
import { openWorkspace, type Workspace } from "../../shared/workspace.ts";
import { snapshotPrefix } from "./snapshots.ts";

export interface PruneOptions {
  readonly olderThan: string;
  /** Those, too, that stopped or were interrupted, and could be resumed. */
  readonly stopped?: true | undefined;
  readonly dryRun?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar prune`: removes what is kept of runs that have ended. The only command that deletes. */
export async function pruneCommand(
  id: string | undefined,
  options: PruneOptions,
): Promise<ExitCode> {
  const { olderThan, dryRun, json } = options;
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
            (run) => isToGo(run, options) && Date.now() - Date.parse(run.savedAt) >= age,
          )
        : [await named(workspace, wanted, options)];
    const ids = runs.map((run) => run.id);
    const freed = ids.reduce((sum, runId) => sum + sizeOf(join(workspace.runsDir, runId)), 0);
    if (dryRun !== true) {
      await refuseLive(ids);
      for (const runId of ids) await remove(workspace, runId);
    }
    if (json === true) {
      const facts = { dryRun: dryRun === true, runs: ids, bytes: freed };
      process.stdout.write(jsonLine({ v: JSON_VERSION, type: "prune", ...facts }));
      return EXIT.ok;
    }
    const view = viewOf(process.stdout);
    const what = `${count(runs.length, "run")} ${dryRun === true ? "would be removed" : "removed"}`;
    const which = options.stopped === true ? "no run was" : "no run that has ended was";
    const none = `${which} last saved more than ${span(age)} ago`;
    const hint = runs.length > 0 ? [] : labelled(view, "because", none);
    const next =
      runs.length > 0 && dryRun === true ? nextLines([again(wanted, options)], view) : [];
    write(process.stdout, [
      view.paint("bold", what),
      ...listLines(runs, view),
      ...freedLines(freed, dryRun, view),
      ...hint,
      ...next,
    ]);
    return EXIT.ok;
  } finally {
    lock?.release();
  }
}

/** The same command, for real. */
function again(wanted: string | undefined, { olderThan, stopped }: PruneOptions): string {
  const age = wanted ?? `--older-than ${olderThan}`;
  return `quasar prune ${age}${stopped === true ? " --stopped" : ""}`;
}

function freedLines(bytes: number, dryRun: true | undefined, view: View): readonly string[] {
  if (bytes === 0) return [];
  return labelled(view, dryRun === true ? "would free" : "freed", size(bytes));
}

/** What the files of a folder hold, in bytes; one that goes meanwhile holds nothing. */
function sizeOf(dir: string): number {
  const entries = readdirSync(dir, { recursive: true, encoding: "utf8" });
  const sizes = entries.map(
    (path) => lstatSync(join(dir, path), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, each) => sum + each, 0);
}

function isToGo({ status }: RunSummary, { stopped }: PruneOptions): boolean {
  const isResumable = status === "stopped" || status === "interrupted";
  return hasEnded({ status }) || (stopped === true && isResumable);
}

function hasEnded({ status }: Pick<RunSummary, "status">): boolean {
  return status === "approved" || status === "abandoned";
}

async function named(workspace: Workspace, id: string, options: PruneOptions): Promise<RunSummary> {
  const known = runIds(workspace).filter((each) => each === id);
  const [run] = await summarize(workspace, known, { live: options.dryRun === true });
  if (run === undefined) {
    throw new CliError("ERR_USAGE", `there is no run ${id} in this work tree`, {
      next: ["quasar ls --all"],
    });
  }
  if (isToGo(run, options) || isSetAside(join(workspace.runsDir, id))) return run;
  if (run.status === "damaged") {
    throw new CliError("ERR_STATE", `run ${id} cannot be read: ${run.reason}`, { next: run.next });
  }
  throw new CliError("ERR_STATE", `run ${id} has not ended: it is ${run.status}`, {
    next: [
      `quasar resume ${id}`,
      `quasar abandon ${id}   (gives it up)`,
      `quasar prune ${id} --stopped   (removes it all the same)`,
    ],
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
