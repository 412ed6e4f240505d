import { type Standing, standingOf } from "@quasar/nebula/facts";
import { budget, cleanLine, costWords, count, fit, moment, money, span } from "@quasar/runs/text";
import { landedWords } from "@quasar/runs/words";
import { ALL_FILES, fileLines } from "../../shared/output/changes.ts";
import { section } from "../../shared/output/section.ts";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, type Style, type View } from "../../shared/output/text.ts";
import { costCell } from "../runs/cost-cell.ts";
import type { NebulaPhaseLine, NebulaShowLine } from "../schemas/nebula-show.ts";
import { headline } from "./headline.ts";

type ShownNebula = Omit<NebulaShowLine, "v" | "type" | "exit" | "next">;
type ShownPhase = Omit<NebulaPhaseLine, "v" | "type" | "exit" | "next"> & {
  readonly standing: Standing;
  /** Why it stands so. */
  readonly because: string;
  /** The file that has all of an output, by the text that shows a part of it. */
  readonly outputs: ReadonlyMap<string, string>;
};

const MOST_FILES = 20;
const MOST_WARNINGS = 5;
/** Of a text that may be the output of a command. */
const MOST_LINES = 20;

/** What a nebula is: what it is for, how it is worked on, and its phases. */
export function nebulaLines(nebula: ShownNebula, view: View): readonly string[] {
  const { phases } = nebula;
  const rows = phases.map((phase) => [
    short(phase.phaseId),
    standingOf(phase, nebula),
    fit(phase.dependsOn.map(short).join(", "), 24),
    costCell(phase),
    fit(cleanLine(phase.title), 200),
  ]);
  const table = tableLines(
    ["phase", "status", "needs", "cost", "title"],
    rows,
    ["left", "left", "left", "right", "left"],
    view,
  );
  return [
    view.paint("bold", `nebula ${fit(cleanLine(nebula.nebula), 40)} (${nebula.nebulaId})`),
    ...list("about", nebula.description === "" ? [] : [nebula.description], view),
    ...list("goal", nebula.goals, view),
    ...list("keeps to", nebula.constraints, view),
    ...labelled(view, "folder", cleanLine(nebula.dir)),
    ...labelled(view, "branch", `${cleanLine(nebula.branch)}, from ${short10(nebula.baseSha)}`),
    ...labelled(view, "begun", cleanLine(moment(nebula.startedAt))),
    ...labelled(view, "workers", `${nebula.maxWorkers} at once`),
    ...labelled(view, "landing", LANDS[nebula.mergeOrder]),
    ...list("verify", nebula.verify.length === 0 ? ["nothing"] : nebula.verify, view),
    ...labelled(view, "phases", landedWords(nebula)),
    ...labelled(view, "cost", costWords(nebula)),
    ...section(table),
  ];
}

const LANDS = { ready: "in the order of the approvals", plan: "in the order of the plan" } as const;

/** All that is known of a phase: what it is asked, what became of it, what it changes. */
export function phaseLines(phase: ShownPhase, view: View): readonly string[] {
  const { phaseId, nebula, standing, landedSha, files } = phase;
  const whose = `phase ${short(phaseId)} of the nebula ${fit(cleanLine(nebula), 40)}`;
  return [
    `${view.paint("bold", whose)} ${standing}`,
    ...labelled(view, "title", cut(phase.title)),
    ...whole("because", [becauseOf(phase, view)], phase, view, "yellow"),
    ...list("warning", phase.warnings.slice(-MOST_WARNINGS), view),
    ...list("needs", phase.dependsOn, view),
    ...list("scope", phase.scope, view),
    ...labelled(view, "agents", agentWords(phase)),
    ...list("check", phase.requiredChecks, view),
    ...labelled(view, "gate", GATES[phase.gate]),
    ...labelled(view, "limits", limitWords(phase)),
    ...labelled(view, "cost", budget(phase, phase.maxBudgetUsd)),
    ...(landedSha === "" ? [] : labelled(view, "landed", short10(landedSha))),
    ...(files === undefined ? [] : changeLines(files, view)),
    ...section(attemptTable(phase, view)),
    ...section(findingLines(phase, view)),
    ...section(textLines(phase, view)),
  ];
}

const GATES = {
  trust: "none: it lands by itself",
  watch: "none: it is only shown",
  review: "a person approves its change",
  approve: "a person approves its change",
} as const;

/** Why it stands so: in one line where the same stands below in full. */
function becauseOf({ because, runs, ...phase }: ShownPhase, view: View): string {
  const below = [...runs.flatMap(({ reasons }) => reasons), ...findingsOf(phase)];
  const isBelow = below.some((text) => text !== "" && because.includes(text));
  return isBelow ? headline(because, view) : because;
}

function agentWords({ coder, reviewer, model }: ShownPhase): string {
  const by = model === "" ? "" : ` (${cleanLine(model)})`;
  return `${cleanLine(coder)}${by} writes, ${cleanLine(reviewer)} reviews`;
}

function limitWords({ maxCycles, maxBudgetUsd, timeoutMs }: ShownPhase): string {
  const cost = maxBudgetUsd === 0 ? "no limit of cost" : money(maxBudgetUsd);
  return `${count(maxCycles, "cycle")}, ${cost}, ${span(timeoutMs)}`;
}

function changeLines(files: NonNullable<ShownPhase["files"]>, view: View): readonly string[] {
  const shown = fileLines(
    files.map((file) => ({ added: undefined, removed: undefined, ...file })),
    { ...ALL_FILES, columns: 50 },
  );
  const lines = shown.length === 0 ? ["nothing"] : shown.slice(0, MOST_FILES + 1);
  const more = shown.length - lines.length;
  const all = more > 0 ? [...lines, `and ${count(more, "more file")}`] : lines;
  return all.flatMap((line, at) => labelled(view, at === 0 ? "changes" : "", line));
}

function attemptTable({ runs, outputs }: ShownPhase, view: View): readonly string[] {
  if (runs.length === 0) return [];
  const rows = runs.map((each) => [
    String(each.attempt),
    each.runId,
    each.status ?? "not saved",
    each.cycle === undefined ? "" : String(each.cycle),
    attemptCost(each),
  ]);
  const head = ["attempt", "run", "status", "cycles", "cost"];
  const align = ["right", "left", "left", "right", "right"] as const;
  const why = runs.flatMap(({ attempt, reasons }) =>
    reasons.map((reason) => attemptWhy(attempt, reason)),
  );
  return [...tableLines(head, rows, align, view), ...whole("why", why, { outputs }, view)];
}

/** Why an attempt began, as it is shown. */
export function attemptWhy(attempt: number, reason: string): string {
  return `attempt ${attempt}: ${reason}`;
}

function attemptCost(attempt: ShownPhase["runs"][number]): string {
  const { spentUsd, unknownUsd, hasUnreportedCosts = false } = attempt;
  if (spentUsd === undefined || unknownUsd === undefined) return "";
  return costCell({ spentUsd, unknownUsd, hasUnreportedCosts });
}

/** Why it waits, where that is in no attempt yet. */
function findingLines(phase: ShownPhase, view: View): readonly string[] {
  return whole("finding", findingsOf(phase), phase, view);
}

function findingsOf({
  status,
  reasons,
}: Pick<ShownPhase, "status" | "reasons">): readonly string[] {
  return status === "awaiting_human" ? reasons : [];
}

function textLines(phase: ShownPhase, view: View): readonly string[] {
  const { text, nextText, file, status } = phase;
  const said = (head: string, words: string): readonly string[] => [
    view.paint("dim", `  ${head}:`),
    ...words.split("\n").flatMap((line) => labelled(view, "", line)),
  ];
  const when = status === "running" ? NEXT_CYCLE : "another attempt";
  return [
    ...said(`what its agents are asked (${cleanLine(file)})`, text),
    ...(nextText === undefined ? [] : section(said(`its new text waits for ${when}`, nextText))),
  ];
}

const NEXT_CYCLE = "their next cycle, which comes unless this one is approved";

function list(label: string, values: readonly string[], view: View): readonly string[] {
  return values.flatMap((each, at) => labelled(view, at === 0 ? label : "", cut(each)));
}

/** Texts of any length with the lines that they have, of each the first ones. */
function whole(
  label: string,
  texts: readonly string[],
  { outputs }: Pick<ShownPhase, "outputs">,
  view: View,
  style?: Style,
): readonly string[] {
  const lines = texts.flatMap((text) => firstLines(text, outputs.get(text) ?? ""));
  return lines.flatMap((line, at) => labelled(view, at === 0 ? label : "", line, style));
}

/** @param path - Of the file that has all; `""`: none is known. */
function firstLines(text: string, path: string): readonly string[] {
  const lines = text
    .trim()
    .split("\n")
    .filter((line) => line !== "");
  const more = lines.length - MOST_LINES;
  if (more <= 0) return lines;
  const where = path === "" ? "--json has all" : path;
  return [...lines.slice(0, MOST_LINES), `… ${count(more, "more line")}: ${where}`];
}

function cut(text: string): string {
  return fit(cleanLine(text), 300);
}

function short(id: string): string {
  return fit(cleanLine(id), 24);
}

function short10(sha: string): string {
  return sha.slice(0, 10);
}
