import { latestFindings } from "@quasar/runs/internal";
import { cleanLine } from "@quasar/runs/text";
import type { taskRuns } from "@quasar/tasks/record";
import { findingTable } from "../../shared/output/finding-table.ts";
import { section } from "../../shared/output/section.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { turnTable } from "../../shared/output/turn-table.ts";
import { nameOfTurn } from "../turn-name.ts";
import { chainLines } from "./chain-lines.ts";
import { hookLines, labelledText } from "./hook-lines.ts";
import { headLines, type PictureFacts, stepLines } from "./picture.ts";

/** What all of a task is told from. */
export interface WholeFacts extends PictureFacts {
  readonly dir: string;
  readonly runs: Awaited<ReturnType<typeof taskRuns>>["runs"];
}

/** All of a task: what it is, its steps and what came of each, its agents' turns, what reviewers found. */
export function wholeLines(facts: WholeFacts, view: View): string[] {
  const { hook, runs, dir, now } = facts;
  const turns = runs.flatMap((run) => run.turns.map((turn) => ({ ...turn, run: run.name })));
  const findings = runs.flatMap(({ name, checkpoint }) =>
    latestFindings(checkpoint).map((finding) => ({ ...finding, run: name })),
  );
  const last = turns.at(-1);
  const transcript = last && `atlas show ${hook.taskId} ${nameOfTurn(last)}`;
  return [
    ...headLines(facts, view),
    ...section(askedLines(facts, view)),
    ...section(stepLines(facts, view)),
    ...section(resultLines(facts, view)),
    ...section(turnTable(turns, view)),
    ...section(findingTable(findings, view)),
    ...section(hookLines(hook, now)),
    ...chainLines(facts.chain, view),
    ...labelled(view, "files", cleanLine(dir)),
    ...labelled(view, "journal", `atlas log ${hook.taskId}`),
    ...(transcript === undefined ? [] : labelled(view, "turn", `${transcript}   (what was said)`)),
    ...nextLines(facts.next, view),
  ];
}

/** The whole description, where its first line is not all of it. */
function askedLines({ hook: { description } }: WholeFacts, view: View): string[] {
  return description.trim().includes("\n") ? labelledText(view, "asked", description) : [];
}

/** What came of the last attempt of each step that said something. */
function resultLines({ task }: WholeFacts, view: View): string[] {
  const last = new Map(task.stepResults.map((result) => [result.stepName, result.output]));
  return [...last].flatMap(([step, output]) => labelledText(view, cleanLine(step), output));
}
