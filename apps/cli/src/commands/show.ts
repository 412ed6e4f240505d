import { listSnapshots } from "@quasar/git";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { cleanLine, jsonLine } from "../output/clean.ts";
import { money, moment } from "../output/format.ts";
import { JSON_VERSION, viewOf, write } from "../output/reporter.ts";
import { tableLines } from "../output/table.ts";
import { labelled, type View } from "../output/text.ts";
import { type FoundRun, findRun } from "../runs/find.ts";
import { summarize } from "../runs/list.ts";
import { runLines } from "../runs/text.ts";
import { openWorkspace } from "../workspace.ts";
import { snapshotPrefix } from "./snapshots.ts";

export interface ShowOptions {
  readonly json?: true | undefined;
}

/** `quasar show`: all there is to know of a run. */
export async function showCommand(
  id: string | undefined,
  { json }: ShowOptions,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const found = await findRun(workspace, id);
  const [summaries, snapshots] = await Promise.all([
    summarize(workspace, [found.id]),
    listSnapshots(workspace.root, snapshotPrefix(found.id)),
  ]);
  const { checkpoint, seal, source } = found.loaded;
  if (json === true) {
    const { ledger: turns, turn: lastTurn, allFindings } = checkpoint;
    const facts = { dir: found.dir, seal, source, turns, lastTurn, allFindings, snapshots };
    const run = summaries[0];
    process.stdout.write(jsonLine({ v: JSON_VERSION, type: "show", run, ...facts }));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...summaries.flatMap((run) => runLines(run, view)),
    ...(checkpoint.ledger.length === 0 ? [] : ["", ...turnLines(found, view)]),
    "",
    ...labelled(view, "snapshots", snapshotsText(found.id, snapshots.length)),
    ...labelled(view, "files", cleanLine(found.dir)),
    ...labelled(view, "journal", `quasar log ${found.id}`),
  ]);
  return EXIT.ok;
}

function snapshotsText(runId: string, count: number): string {
  return count === 0 ? "none" : `${count}: quasar snapshots ${runId}`;
}

function turnLines({ loaded: { checkpoint } }: FoundRun, view: View): string[] {
  const { ledger, turn } = checkpoint;
  const rows = ledger.map(({ turnId, role, cycle, attempt, status, costUsd, startedAt }) => [
    turnId === "" ? "earlier" : cleanLine(turnId),
    turnId === "" ? "" : `${role}, cycle ${cycle}${attempt > 1 ? `, attempt ${attempt}` : ""}`,
    status,
    money(costUsd),
    startedAt === "" ? "" : cleanLine(moment(startedAt)),
    turnId === turn?.id ? cleanLine(turn.sessionId) : "",
  ]);
  const head = ["turn", "work", "end", "cost", "began", "session"];
  return tableLines(head, rows, ["left", "left", "left", "right", "left", "left"], view);
}
