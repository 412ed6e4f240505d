import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readJournal } from "@quasar/durable";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { lockHolder } from "../lock.ts";
import { clean, cleanLine, jsonLine } from "../output/clean.ts";
import { moment } from "../output/format.ts";
import { IDLE, type Progress } from "../output/progress.ts";
import type { OutputRecord } from "../output/record.ts";
import { viewOf, write } from "../output/reporter.ts";
import { labelled, linesOf, type View } from "../output/text.ts";
import { widthOf } from "../output/width.ts";
import type { Fact } from "../runs/facts.ts";
import { findRun } from "../runs/find.ts";
import { isFact, JOURNAL_FILE } from "../runs/journal.ts";
import { isAgentAlive } from "../runs/turn.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";

export interface LogOptions {
  readonly follow?: true | undefined;
  readonly json?: true | undefined;
}

const LOOK_MS = 250;

/** `quasar log`: what a run has gone through, by its journal; with `--follow` as it happens. */
export async function logCommand(id: string | undefined, options: LogOptions): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const { id: runId, dir, loaded } = await findRun(workspace, id);
  const { maxCycles } = loaded.checkpoint;
  const show = options.json === true ? showJson : createTeller(viewOf(process.stdout), maxCycles);
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
  return isAgentAlive((await findRun(workspace, runId)).loaded.checkpoint);
}

function showJson(fact: Fact): void {
  process.stdout.write(jsonLine(fact));
}

/** Tells facts as the run itself has told them, each with its time. */
function createTeller(view: View, maxCycles: number): (fact: Fact) => void {
  return (untold) => {
    const fact = cleaned(untold, MOST_DEPTH) as Fact;
    const time = typeof fact["time"] === "string" ? cleanLine(moment(fact["time"])) : "";
    const [first = "", ...more] = factLines(fact, { ...IDLE, maxCycles }, { ...view, live: false });
    if (first === "") return;
    const gap = " ".repeat(widthOf(time));
    const lines = [
      `${view.paint("dim", time)}  ${first}`,
      ...more.map((line) => `${gap}  ${line}`),
    ];
    write(process.stdout, lines);
  };
}

/** More than any fact of ours has. */
const MOST_DEPTH = 8;

/** A journal is a file: any part of a fact can be any text, also where we write a number. */
function cleaned(value: unknown, depth: number): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "…";
  if (Array.isArray(value)) return value.map((each) => cleaned(each, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, cleaned(each, depth - 1)]),
  );
}

function factLines(fact: Fact, progress: Progress, view: View): readonly string[] {
  if (fact.type === "result") {
    const { outcome, message } = fact;
    return labelled(view, "ended", cleanLine(`${String(outcome)}: ${String(message)}`));
  }
  if (!TOLD.has(fact.type)) return [];
  try {
    return linesOf(fact as unknown as OutputRecord, progress, view);
  } catch (error) {
    // A journal is a file: what is in it may not be what we have written.
    if (!(error instanceof TypeError)) throw error;
    return labelled(view, "", cleanLine(fact.type));
  }
}

/** What the run has told its user. */
const TOLD: ReadonlySet<string> = new Set([
  "resumed",
  "cycle_start",
  "agent_start",
  "turn_recovered",
  "agent_done",
  "committed",
  "snapshot",
  "check_done",
  "review_complete",
  "refactored",
  "struggle_detected",
  "warning",
  "notice",
  "waiting",
]);
