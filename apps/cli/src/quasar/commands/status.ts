import {
  parseRunId,
  type RunElsewhere,
  runsElsewhere,
  runIds,
  summarize,
  removedRun,
  isUnfinished,
  type RunSummary,
  openWorkspace,
} from "@quasar/runs";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { listLines, runLines } from "../runs/text.ts";

export interface StatusOptions {
  readonly all?: true | undefined;
  readonly json?: true | undefined;
}

/** How many runs are looked at when nobody asks for all. */
const NEWEST = 6;

/** `quasar status`: the newest run in full, older ones in a list; or the one that is named. */
export async function statusCommand(
  id: string | undefined,
  options: StatusOptions,
): Promise<ExitCode> {
  const wanted = id === undefined ? undefined : parseRunId(id);
  const workspace = await openWorkspace(process.cwd());
  const ids = runIds(workspace).filter((known) => wanted === undefined || known === wanted);
  const shown = options.all === true ? ids : ids.slice(0, NEWEST);
  const removed = await removedRun(workspace);
  const isShown = removed !== undefined && (wanted === undefined || removed.id === wanted);
  const runs = [...(isShown ? [removed] : []), ...(await summarize(workspace, shown))];
  if (wanted !== undefined && runs.length === 0) {
    const there = (await runsElsewhere(workspace)).filter(({ id: known }) => known === wanted);
    throw new CliError("ERR_USAGE", `there is no run ${wanted} in this work tree`, {
      next: [...there.map(({ command }) => command), "quasar ls --all"],
    });
  }
  const elsewhere = wanted === undefined ? await runsElsewhere(workspace) : [];
  if (options.json === true) {
    const { root } = workspace;
    process.stdout.write(jsonLine({ v: JSON_VERSION, type: "status", root, runs, elsewhere }));
    return EXIT.ok;
  }
  write(process.stdout, [
    ...statusLines(runs, ids.length - shown.length),
    ...elsewhereLines(elsewhere),
  ]);
  return EXIT.ok;
}

function elsewhereLines(runs: readonly RunElsewhere[]): string[] {
  const view = viewOf(process.stdout);
  return runs.flatMap(({ id, root, command }) => [
    "",
    `unfinished, in a work tree of its own: run ${id}`,
    ...labelled(view, "in", cleanLine(root)),
    ...nextLines([command], view),
  ]);
}

function statusLines(runs: readonly RunSummary[], hidden: number): string[] {
  const view = viewOf(process.stdout);
  const [newest, ...older] = runs;
  if (newest === undefined) {
    return ["no runs in this work tree yet", ...nextLines(['quasar run "…"', "quasar demo"], view)];
  }
  const list = older.length === 0 ? [] : ["", "older runs", ...listLines(older, view)];
  const more = hidden === 0 ? [] : [`  and ${hidden} more: quasar status --all`];
  const open = isUnfinished(newest) ? undefined : older.find(isUnfinished);
  const next = open === undefined ? [] : nextLines(open.next, view);
  return [...runLines(newest, view), ...list, ...more, ...next];
}
