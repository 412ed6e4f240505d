import type { RunSummary, Workspace } from "@quasar/runs";
import {
  isUnfinished,
  listRuns,
  openUser,
  openWorkspace,
  parseRunId,
  removedRun,
  runIds,
  runsElsewhere,
  summaries,
  summarize,
} from "@quasar/runs/internal";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import { stepInWords, stepsInWords } from "../next-steps.ts";
import { after } from "../runs/after.ts";
import { writeRunsLine } from "../runs/json.ts";
import { elsewhereFacts } from "../facts/run.ts";
import { elsewhereLines, listLines, runLines } from "../runs/text.ts";
import { ownedPhaseSteps, ownedPhaseWords, phaseOfWorkTree } from "../nebula/phase-run.ts";
import { unfinishedLines, unfinishedNebulae } from "../nebula/unfinished.ts";
import type { StatusLine } from "../schemas/status.ts";

export interface StatusOptions {
  readonly all?: true | undefined;
  readonly json?: true | undefined;
}

/** How many runs are checked when nobody asks for all. */
const NEWEST = 6;

/** What can be typed where there is no run. */
const FIRST = ['quasar run "…"', "quasar demo"];

/** `quasar status`: the newest run in full, older ones in a list; or the one that is named. */
export async function statusCommand(
  id: string | undefined,
  options: StatusOptions,
): Promise<ExitCode> {
  const wanted = id === undefined ? undefined : parseRunId(id);
  const workspace = await openWorkspace(process.cwd());
  const known = runIds(workspace).filter((each) => wanted === undefined || each === wanted);
  const ids = options.all === true ? known : known.slice(0, NEWEST);
  const owner = wanted === undefined ? await phaseOfWorkTree(workspace) : undefined;
  const first = owner === undefined ? FIRST : ownedPhaseSteps(owner);
  const nothing =
    owner === undefined
      ? "no runs in this work tree yet"
      : `this work tree is that of ${ownedPhaseWords(owner)}`;
  // A nebula keeps the runs of its phases, of which such a work tree has only the compatibility checkpoint.
  const found = owner === undefined ? await removedRun(workspace) : undefined;
  const removed = wanted === undefined || found?.id === wanted ? found : undefined;
  const newest = removed ?? (await firstOf(workspace, ids));
  if (wanted !== undefined && newest === undefined) {
    const there = (await runsElsewhere(workspace)).filter((run) => run.id === wanted);
    throw new CliError("ERR_USAGE", `there is no run ${wanted} in this work tree`, {
      next: [...there.map((run) => stepInWords(run.next)), "quasar list --all"],
    });
  }
  const elsewhere =
    wanted === undefined ? (await runsElsewhere(workspace)).filter(isUnfinished) : [];
  const nebulae = wanted === undefined ? await unfinishedNebulae(workspace) : [];
  const { stdout } = process;
  if (options.json === true) {
    const runs = after(removed, summaries(workspace, ids));
    const line = { v: JSON_VERSION, type: "status", workTree: workspace.root } as const;
    await writeRunsLine<StatusLine>(stdout, line, runs, (count) => ({
      elsewhere: elsewhere.map(elsewhereFacts),
      nebulae,
      exit: EXIT.ok,
      next: count === 0 ? first : [],
    }));
    return EXIT.ok;
  }
  if (newest === undefined) {
    write(stdout, [nothing, ...nextLines(first, viewOf(stdout))]);
  } else {
    const older = ids.slice(ids.indexOf(newest.id) + 1);
    await writeRuns(workspace, { newest, older, hidden: known.length - ids.length });
  }
  write(stdout, elsewhereLines(elsewhere, viewOf(stdout)));
  write(stdout, unfinishedLines(nebulae, viewOf(stdout)));
  return EXIT.ok;
}

async function firstOf(
  workspace: Workspace,
  ids: readonly string[],
): Promise<RunSummary | undefined> {
  for await (const run of summaries(workspace, ids)) return run;
  return undefined;
}

interface Shown {
  readonly newest: RunSummary;
  /** Ids of those before it that are shown. */
  readonly older: readonly string[];
  /** How many are not. */
  readonly hidden: number;
}

/** One after the other, as they are read. */
async function writeRuns(workspace: Workspace, { newest, older, hidden }: Shown): Promise<void> {
  const { stdout } = process;
  const view = viewOf(stdout);
  write(stdout, runLines(newest, view));
  let isFirst = true;
  let open: string | undefined;
  for await (const run of listRuns(workspace, openUser(), older)) {
    write(stdout, [...(isFirst ? ["", "older runs"] : []), ...listLines([run], view)]);
    isFirst = false;
    if (isUnfinished(run)) open ??= run.id;
  }
  if (hidden > 0) write(stdout, [`  and ${hidden} more: quasar status --all`]);
  if (open === undefined || isUnfinished(newest)) return;
  const [unfinished] = await summarize(workspace, [open]);
  write(stdout, nextLines(stepsInWords(unfinished?.next ?? []), view));
}
