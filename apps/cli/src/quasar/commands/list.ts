import {
  listRuns,
  openUser,
  openWorkspace,
  removedRun,
  runIds,
  runsElsewhere,
  summaries,
} from "@quasar/runs/internal";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import { after } from "../runs/after.ts";
import { writeRunsLine } from "../runs/json.ts";
import { elsewhereFacts } from "../facts/run.ts";
import { elsewhereLines, listHead, listLines } from "../runs/text.ts";
import { ownedPhaseSteps, ownedPhaseWords, phaseOfWorkTree } from "../nebula/phase-run.ts";
import { unfinishedList, unfinishedNebulae } from "../nebula/unfinished.ts";
import type { ListLine } from "../schemas/list.ts";

export interface ListOptions {
  readonly all?: true | undefined;
  readonly json?: true | undefined;
}

const NEWEST = 20;

/** What can be typed where there is no run. */
const FIRST = ['quasar run "…"'];

/** `quasar list`: the runs of the work tree, a line each. */
export async function listCommand({ all, json }: ListOptions): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const ids = runIds(workspace);
  const shown = all === true ? ids : ids.slice(0, NEWEST);
  const owner = await phaseOfWorkTree(workspace);
  const first = owner === undefined ? FIRST : ownedPhaseSteps(owner);
  const nothing =
    owner === undefined
      ? "no runs in this work tree yet"
      : `this work tree is that of ${ownedPhaseWords(owner)}`;
  const [removed, elsewhere, nebulae] = await Promise.all([
    owner === undefined ? removedRun(workspace) : undefined,
    runsElsewhere(workspace),
    unfinishedNebulae(workspace),
  ]);
  const { stdout } = process;
  if (json === true) {
    const line = { v: JSON_VERSION, type: "list", workTree: workspace.root } as const;
    const runs = after(removed, summaries(workspace, shown));
    await writeRunsLine<ListLine>(stdout, line, runs, (count) => ({
      elsewhere: elsewhere.map(elsewhereFacts),
      nebulae,
      exit: EXIT.ok,
      next: count === 0 ? first : [],
    }));
    return EXIT.ok;
  }
  const view = viewOf(stdout);
  let isEmpty = true;
  for await (const run of after(removed, listRuns(workspace, openUser(), shown))) {
    write(stdout, [...(isEmpty ? listHead(view) : []), ...listLines([run], view)]);
    isEmpty = false;
  }
  const hidden = ids.length - shown.length;
  if (isEmpty) {
    write(stdout, [nothing, ...nextLines(first, view)]);
  } else if (hidden > 0) write(stdout, [`  and ${hidden} more: quasar list --all`]);
  write(stdout, elsewhereLines(elsewhere, view));
  write(stdout, unfinishedList(nebulae));
  return EXIT.ok;
}
