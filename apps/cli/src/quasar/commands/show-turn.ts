import type { AgentEvent } from "@quasar/agents";
import { RunsError, type TurnSummary } from "@quasar/runs";
import { allTurns, findRun, openWorkspace, readFacts, watchRunTurn } from "@quasar/runs/internal";
import {
  clean,
  cleanLine,
  duration,
  jsonLine,
  money,
  moment,
  widthOf,
  wrap,
} from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, type Style, type View } from "../../shared/output/text.ts";
import { shortId, TURN_ENDS } from "../../shared/output/turn-cells.ts";
import type { TurnLine } from "../schemas/show.ts";

/** Which turn is meant: `3` is of the newest run, `<run>.3` of that one; `undefined`: a run is. */
export function namedTurn(
  id: string | undefined,
): { readonly run: string | undefined; readonly n: string } | undefined {
  const [, run, n] = /^(?:(.+)\.)?([1-9]\d{0,8})$/u.exec(id ?? "") ?? [];
  return n === undefined ? undefined : { run, n };
}

/** `quasar show TURN`: what the agent of a turn said and did, in full. */
export async function showTurn(
  { run, n }: NonNullable<ReturnType<typeof namedTurn>>,
  isJson: boolean,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const { id: runId, dir, loaded } = await findRun(workspace, run);
  const turnId = `${runId}.${n}`;
  const turn = allTurns(loaded.checkpoint, readFacts(dir)).find((each) => each.turnId === turnId);
  if (turn === undefined) {
    throw new RunsError("ERR_USAGE", `run ${runId} has no turn ${n}`, {
      next: [`quasar show ${runId}`],
    });
  }
  const { stdout } = process;
  const view = viewOf(stdout);
  if (!isJson) write(stdout, headLines(turn, view));
  const events: AgentEvent[] = [];
  const isKept = await watchRunTurn(workspace, runId, turnId, {
    onEvent: (event) => {
      if (isJson) events.push(event);
      else write(stdout, eventLines(event, view));
    },
  });
  if (isJson) {
    const line = { v: JSON_VERSION, type: "turn", runId, turn, isKept, events } satisfies TurnLine;
    stdout.write(jsonLine(line));
  } else if (!isKept) {
    write(stdout, labelled(view, "files", "what its agent printed is not kept"));
  }
  return EXIT.ok;
}

function headLines(turn: TurnSummary, view: View): string[] {
  const { turnId, role, cycle, attempt, status, durationMs, costUsd, startedAt } = turn;
  const facts = [
    `${role}, cycle ${cycle}`,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    TURN_ENDS[status],
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
    ...(status === "open" ? [] : [money(costUsd)]),
  ];
  return [
    view.paint("bold", `turn ${shortId(turnId)}: ${facts.join(", ")}`),
    ...(startedAt === "" ? [] : labelled(view, "began", cleanLine(moment(startedAt)))),
    "",
  ];
}

function eventLines(event: AgentEvent, view: View): string[] {
  switch (event.type) {
    case "text": {
      const text = clean(event.text).replaceAll(/^(?:\s*\n)+|\s+$/gu, "");
      if (text === "") return [];
      return [...text.split("\n").flatMap((line) => broken(line, view)), ""];
    }
    case "tool":
      return [...inLines(`> ${cleanLine(`${event.name} ${event.detail}`)}`, "dim", view), ""];
    case "retry":
      return [...inLines(`tries again: ${cleanLine(event.message)}`, "yellow", view), ""];
    case "session":
    case "usage":
    case "unpriced":
      return [];
  }
}

function inLines(text: string, style: Style, view: View): string[] {
  return broken(text, view).map((line) => view.paint(style, line));
}

/** A line as it is; what is too wide for the terminal is wrapped, with its own indentation. */
function broken(line: string, { columns }: View): string[] {
  if (columns === undefined || widthOf(line) <= columns) return [line];
  const [indent = ""] = /^ */u.exec(line) ?? [];
  const room = Math.max(20, columns - indent.length);
  return wrap(line.trimStart(), room).map((part) => indent + part);
}
