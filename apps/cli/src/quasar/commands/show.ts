import type { CheckpointTurn } from "@quasar/checkpoint";
import { parseReview } from "@quasar/loop/review";
import {
  allTurns,
  endedTurns,
  findRun,
  type FoundRun,
  latestFindings,
  readFacts,
  runSnapshots,
  summarize,
  type SupervisorFailure,
  supervisorFailures,
} from "@quasar/runs/internal";
import type { OwnedPhase } from "@quasar/nebula/internal";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { findingTable } from "../../shared/output/finding-table.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { section } from "../../shared/output/section.ts";
import {
  approvalLines,
  labelled,
  nextLines,
  reportLines,
  type View,
} from "../../shared/output/text.ts";
import { shortId } from "@quasar/runs/words";
import { turnFacts } from "../../shared/facts/turn.ts";
import { turnTable } from "../../shared/output/turn-table.ts";
import { runFacts } from "../facts/run.ts";
import { snapshotFacts } from "../facts/snapshot.ts";
import { stepsInWords } from "../next-steps.ts";
import { standLines } from "../runs/text.ts";
import { nebulaeOf, workspaceOfRun } from "../nebula/phase-run.ts";
import type { ShowLine } from "../schemas/show.ts";
import { namedTurn, showTurn } from "./show-turn.ts";

export interface ShowOptions {
  readonly json?: true | undefined;
}

/** `quasar show`: all there is to know of a run, or of one of its turns. */
export async function showCommand(
  id: string | undefined,
  { json }: ShowOptions,
): Promise<ExitCode> {
  const turn = namedTurn(id);
  if (turn !== undefined) return showTurn(turn, json === true);
  const workspace = await workspaceOfRun(id);
  const found = await findRun(workspace, id);
  const [summaries, kept] = await Promise.all([
    summarize(workspace, [found.id]),
    runSnapshots(workspace, found.id),
  ]);
  const facts = readFacts(found.dir);
  const failures = supervisorFailures(workspace, found.id);
  const { checkpoint, seal, source, problems } = found.loaded;
  const { report } = parseReview(checkpoint.reviewOutput);
  const message = endMessage(facts);
  // A nebula's run is resumed with its nebula.
  const { phase } = workspace;
  const next = phase && (await (await nebulaeOf(workspace))?.stepsOf(phase.nebula));
  if (json === true) {
    const { turn: lastTurn, allFindings } = checkpoint;
    const turns = endedTurns(checkpoint, facts, found.dir).map(turnFacts);
    const rest = {
      dir: found.dir,
      seal,
      source,
      warnings: [...problems, ...kept.problems],
      turns,
      lastTurn: lastTurn && lastTurnFacts(lastTurn),
      allFindings,
      report,
      message,
      snapshots: kept.snapshots.map(snapshotFacts),
      supervisorFailures: failures,
    };
    const [first] = summaries;
    const run = first && { ...runFacts(first), ...(next && { next }) };
    const line = result("show", { run, ...rest }, EXIT.ok, run?.next) satisfies ShowLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...summaries.flatMap((run) => standLines(run, view)),
    ...phaseLines(phase, view),
    ...approvalLines(message ?? "").flatMap((line) => labelled(view, "beside", line, "yellow")),
    ...(report === undefined ? [] : reportLines(report, view)),
    ...sessionLines(found, view),
    ...problemLines([...problems, ...kept.problems], view),
    ...section(turnTable(allTurns(checkpoint, facts, found.dir), view)),
    ...section(failureLines(failures, view)),
    ...section(findingTable(latestFindings(checkpoint), view)),
    "",
    ...labelled(view, "snapshot", snapshotsText(found.id, kept.snapshots.length)),
    ...labelled(view, "files", cleanLine(found.dir)),
    ...labelled(view, "journal", `quasar log ${found.id}`),
    ...summaries.flatMap((run) => nextLines(next ?? stepsInWords(run.next), view)),
  ]);
  return EXIT.ok;
}

function phaseLines(owner: OwnedPhase | undefined, view: View): readonly string[] {
  if (owner === undefined) return [];
  const { nebula, phase } = owner;
  return labelled(view, "phase", cleanLine(`${phase.id} of the nebula ${nebula.name}`));
}

function lastTurnFacts({ id: turnId, processStart: startTicks, ...turn }: CheckpointTurn) {
  // By the mark a run itself knows its work tree again: nobody else has a use for it.
  return { turnId, ...turn, treeMark: undefined, startTicks };
}

/** What the run said when it was last left; `undefined` where the journal does not know. */
function endMessage(facts: ReturnType<typeof readFacts>): string | undefined {
  const end = facts.findLast(({ type }) => type === "result");
  return typeof end?.["message"] === "string" ? end["message"] : undefined;
}

/** The agent's own name for its conversation: by it the agent itself can be asked to show it. */
function sessionLines({ loaded: { checkpoint } }: FoundRun, view: View): string[] {
  const { turn } = checkpoint;
  if (turn === undefined || turn.sessionId === "") return [];
  const whose = `the ${turn.role}'s, in turn ${shortId(turn.id)}`;
  return labelled(view, "session", `${cleanLine(turn.sessionId)} (${whose})`);
}

/** What could not be read, so that an earlier generation is shown. */
function problemLines(problems: readonly string[], view: View): string[] {
  const told = [...new Set(problems)];
  return told.flatMap((problem) => labelled(view, "damage", cleanLine(problem), "yellow"));
}

/** Why supervisors ended before their agents, line by line. */
function failureLines(failures: readonly SupervisorFailure[], view: View): string[] {
  return failures.flatMap(({ turnId, text }) => [
    ...labelled(view, "error", `the supervisor of turn ${shortId(turnId)} failed:`, "yellow"),
    ...text.split("\n").flatMap((line) => labelled(view, "", line)),
  ]);
}

function snapshotsText(runId: string, count: number): string {
  return count === 0 ? "none" : `${count} kept: quasar snapshots ${runId}`;
}
