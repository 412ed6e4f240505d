import { isAgentAlive } from "@quasar/loop";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CheckpointError } from "@quasar/checkpoint";
import { readJournal } from "@quasar/durable";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { lockHolder } from "../lock.ts";
import { clean, cleanLine, jsonLine } from "../../shared/output/clean.ts";
import { dayAndTime } from "../../shared/output/format.ts";
import { IDLE } from "../../shared/output/progress.ts";
import type { OutputRecord } from "../../shared/output/record.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, linesOf, outcomeText, type View } from "../../shared/output/text.ts";
import type { Fact } from "../runs/facts.ts";
import { locateRun } from "../runs/find.ts";
import { isFact, JOURNAL_FILE } from "../runs/journal.ts";
import { loadRun, type RunFiles, runStores } from "../../shared/runs/store.ts";
import { openWorkspace, type Workspace } from "../../shared/workspace.ts";

export interface LogOptions {
  readonly follow?: true | undefined;
  readonly json?: true | undefined;
}

const LOOK_MS = 250;

/** `quasar log`: what a run has gone through, by its journal; with `--follow` as it happens. */
export async function logCommand(id: string | undefined, options: LogOptions): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const { id: runId, dir } = locateRun(workspace, id);
  const show = options.json === true ? showJson : createTeller(viewOf(process.stdout));
  let isUnread = false;
  process.stdout.once("error", () => {
    isUnread = true;
  });
  let shown = 0;
  for (;;) {
    // In this order: what the run says at its end is read after it was seen to have ended.
    const isOver = options.follow !== true || !(await isGoingOn(workspace, runId));
    const journal = readJournal(join(dir, JOURNAL_FILE));
    const records = journal?.records ?? [];
    // A damaged one has been set aside, and this is another.
    if (records.length < shown) shown = 0;
    for (const { data } of records.slice(shown)) if (isFact(data)) show(data);
    shown = records.length;
    if (isUnread) return EXIT.ok;
    if (isOver && journal?.damage !== undefined) {
      write(process.stderr, [`the journal is damaged: ${cleanLine(journal.damage.message)}`]);
      return EXIT.corrupt;
    }
    if (isOver && shown === 0) write(process.stderr, [`run ${runId} has no journal`]);
    if (isOver) return EXIT.ok;
    await sleep(LOOK_MS);
  }
}

/** Whether a runner or an agent works on it. */
async function isGoingOn(workspace: Workspace, runId: string): Promise<boolean> {
  if (lockHolder(workspace)?.runId === runId) return true;
  const { loaded } = await loadRun(runStores(workspace, runId)).catch(unreadable);
  return loaded !== undefined && isAgentAlive(loaded.checkpoint);
}

function unreadable(error: unknown): Pick<RunFiles, "loaded"> {
  if (error instanceof CheckpointError) return { loaded: undefined };
  throw error;
}

function showJson(fact: Fact): void {
  process.stdout.write(jsonLine({ v: JSON_VERSION, ...fact }));
}

const TIME = "00:00:00  ";

/** Tells facts as the run itself has told them, each with its time, each day under its date. */
function createTeller(whole: View): (fact: Fact) => void {
  const columns = whole.columns === undefined ? undefined : whole.columns - TIME.length;
  const view: View = { ...whole, columns, live: false };
  let shownDay = "";
  return (fact) => {
    const [first, ...more] = factLines(cleaned(fact) as Fact, view);
    if (first === undefined) return;
    const { day, time } = dayAndTime(String(fact["time"])) ?? { day: shownDay, time: "" };
    const lines = [
      ...(day === shownDay ? [] : [view.paint("dim", day)]),
      `${view.paint("dim", time.padEnd(TIME.length))}${first}`,
      ...more.map((line) => `${" ".repeat(TIME.length)}${line}`),
    ];
    shownDay = day;
    write(process.stdout, lines);
  };
}

/** More than any fact of ours is. */
const MOST_DEEP = 8;

/** A journal is a file, and what is in it may not be what we have written: no text of it may act. */
function cleaned(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MOST_DEEP) return "…";
  const within = (each: unknown): unknown => cleaned(each, depth + 1);
  if (Array.isArray(value)) return value.map(within);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, within(each)]));
}

function factLines(fact: Fact, view: View): readonly string[] {
  if (fact.type === "result") {
    const outcome = outcomeText(String(fact["outcome"]));
    return [
      ...labelled(view, "ended", outcome),
      ...(fact["outcome"] === "approved"
        ? []
        : labelled(view, "because", cleanLine(String(fact["message"])))),
    ];
  }
  if (fact.type === "abandoned") return labelled(view, "ended", "abandoned: its user gave it up");
  if (fact.type === "forked") {
    const { from, cycle } = fact;
    return labelled(
      view,
      "begun",
      cleanLine(`forked from ${String(from)}, in cycle ${String(cycle)}`),
    );
  }
  // How many there may be changes from one resume to the next.
  if (fact.type === "cycle_start") return [view.paint("bold", `cycle ${String(fact["cycle"])}`)];
  if (!TOLD.has(fact.type)) return [];
  try {
    return linesOf(fact as unknown as OutputRecord, IDLE, view);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return labelled(view, "", cleanLine(fact.type));
  }
}

/** What the run has told its user. */
const TOLD: ReadonlySet<string> = new Set([
  "resumed",
  "agent_start",
  "turn_recovered",
  "turn_retry",
  "agent_done",
  "tools_denied",
  "committed",
  "snapshot",
  "undone",
  "check_done",
  "review_complete",
  "refactored",
  "struggle_detected",
  "warning",
  "notice",
  "waiting",
]);
