import { type CostEstimate, DEFAULT_WORKERS } from "@quasar/nebula/internal";
import type { NebulaPlan, PlannedPhase } from "@quasar/nebula/plan";
import type { Gate, NebulaSpec, SpecProblem } from "@quasar/nebula/spec";
import { cleanLine, costWords, count, fit, money } from "@quasar/runs/text";
import { section } from "../../shared/output/section.ts";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, type View } from "../../shared/output/text.ts";
import type { NebulaBase, PlanBeside } from "../facts/nebula.ts";
import { SETTING_OF } from "../facts/nebula-apply.ts";
import type { FirstTurnShortage } from "./first-turns.ts";
import { capWords } from "./limits.ts";
import { namesOf } from "./standing.ts";
import { problemLines } from "./problem-lines.ts";
import { uncommittedWords } from "./uncommitted.ts";

const MOST_OVERLAPS = 5;

/** What is known beside the plan. */
interface Beside extends PlanBeside {
  readonly warnings: readonly SpecProblem[];
}

/** A plan for a person: first what it lacks, then what it costs and asks for, then its phases. */
export function planLines(
  spec: NebulaSpec,
  plan: NebulaPlan,
  { base, short, estimate, spent, missing, warnings }: Beside,
  view: View,
): readonly string[] {
  const { execution, dependencies } = spec;
  const { phases, waveCount, criticalPath } = plan;
  const name = fit(cleanLine(spec.name), 60);
  const head = `${name}: ${count(phases.length, "phase")} in ${count(waveCount, "wave")}`;
  if (phases.length === 0) {
    return [view.paint("bold", `${name}: nothing to do`), ...problemLines(warnings, view)];
  }
  return [
    view.paint("bold", head),
    ...verifyLines(plan, execution.verify, view),
    ...labelled(view, "base", baseWords(base)),
    ...labelled(view, "branch", `${cut(base.branch)}: what lands goes there, and nowhere else`),
    ...(execution.gate === "approve" ? labelled(view, "gate", gateWords(phases)) : []),
    ...labelled(view, "cost", `${limitWords(plan)}${estimateWords(estimate)}`),
    ...(spent === undefined ? [] : labelled(view, "spent", costWords(spent))),
    ...labelled(view, "workers", `${execution.maxWorkers ?? DEFAULT_WORKERS} at once`),
    ...list(
      "needs",
      dependencies.requiresNebulae.map((each) => `nebula ${each}`),
    ),
    // One phase is no chain.
    ...list(
      "longest",
      criticalPath.length > 1 ? [criticalPath.map(({ id }) => shortId(id)).join(" → ")] : [],
    ),
    ...(plan.hasEmptySubmodules ? labelled(view, "warning", SUBMODULES, "yellow") : []),
    ...missing.flatMap((path) =>
      labelled(
        view,
        "warning",
        `${cut(path)} is not there: [execution] copy copies nothing`,
        "yellow",
      ),
    ),
    ...shortLines(short, view),
    ...problemLines(warnings, view),
    ...overlapLines(plan, view),
    ...section(phaseTable(phases, view)),
    ...section(askLines(plan, missing, view)),
  ];

  function list(label: string, values: readonly string[]): readonly string[] {
    return values.flatMap((each, n) => labelled(view, n === 0 ? label : "", cut(each)));
  }
}

const SUBMODULES = "submodules are empty in a phase's work tree: have [execution] setup fill them";

/** What the nebula says, which may be long and is on one line. */
function cut(text: string): string {
  return fit(cleanLine(text), 300);
}

function shortId(id: string): string {
  return fit(cleanLine(id), 24);
}

function verifyLines(
  { isVerified }: NebulaPlan,
  verify: readonly string[],
  view: View,
): readonly string[] {
  if (verify.length > 0) return verify.flatMap((each) => labelled(view, "verify", cut(each)));
  return isVerified
    ? labelled(view, "verify", "nothing on the merged tree; checks before each review")
    : labelled(view, "verify", "landed, not verified: there is no [execution] verify", "yellow");
}

/** What a person is asked of a nebula whose plan they approve. */
function gateWords(phases: readonly PlannedPhase[]): string {
  const asked = phases
    .filter(({ settings }) => ASKS.has(settings.gate))
    .map(({ phase }) => phase.id);
  const plan = "you approve this plan before any phase begins";
  if (asked.length === phases.length) return `${plan}, and each change before it lands`;
  const [names] = namesOf(asked);
  if (names === undefined) return `${plan}; changes land without asking you`;
  return `${plan}, and ${asked.length === 1 ? "the change" : "the changes"} of ${names} before landing; others land without asking you`;
}

/** The gates at which a change waits for a person. */
const ASKS: ReadonlySet<Gate> = new Set(["review", "approve"]);

function baseWords({ baseSha, baseBranch, uncommittedCount }: NebulaBase): string {
  const where = baseBranch === undefined ? "" : `, where ${cut(baseBranch)} is`;
  const without = uncommittedWords(uncommittedCount);
  return `${baseSha.slice(0, 10)}${where}${without === "" ? "" : `; ${without}`}`;
}

function limitWords({ cost }: NebulaPlan): string {
  const { capsUsd, totalUsd, isTotalGiven } = cost;
  const capped = capWords(cost);
  const sum =
    capsUsd === undefined
      ? "not every phase has a limit"
      : `phases' limits add up to ${money(capsUsd)}`;
  if (totalUsd === undefined) return "no limit: a phase has none";
  const why = capped === undefined ? "" : `: ${capped}`;
  if (isTotalGiven && capsUsd !== undefined && capsUsd < totalUsd) {
    return `at most ${money(capsUsd)}, the sum of the phases' limits; the total is ${money(totalUsd)}${why}`;
  }
  if (capped !== undefined) return `at most ${money(totalUsd)}${why}`;
  return isTotalGiven
    ? `at most ${money(totalUsd)}; ${sum}`
    : `at most ${money(totalUsd)}, the sum of the phases' limits`;
}

function estimateWords(estimate: CostEstimate | undefined): string {
  if (estimate === undefined) return "";
  const { likelyUsd, pastCount } = estimate;
  return `; estimated ${money(likelyUsd)} (median of ${count(pastCount, "phase")})`;
}

/** Phases whose first turn would not be started, by what they need. */
function shortLines(short: readonly FirstTurnShortage[], view: View): readonly string[] {
  const groups = Map.groupBy(
    short,
    ({ limit, neededUsd, message }) =>
      `${cleanLine(message)} Set ${SETTING_OF[limit]} to ${neededUsd} or more.`,
  );
  return [...groups].flatMap(([words, those]) => {
    const ids = fit(those.map(({ phase }) => shortId(phase)).join(", "), 200);
    return labelled(view, "warning", `${ids}: ${words}`, "yellow");
  });
}

/** Phases that may change the same, by what that is. */
function overlapLines({ overlaps }: NebulaPlan, view: View): readonly string[] {
  const groups = new Map<string, Set<string>>();
  for (const { phases, patterns } of overlaps) {
    const what = [...new Set(patterns)].map((each) => fit(cleanLine(each), 40)).join(" and ");
    const ids = groups.get(what) ?? new Set();
    for (const { id } of phases) ids.add(shortId(id));
    groups.set(what, ids);
  }
  const shown = [...groups].slice(0, MOST_OVERLAPS).flatMap(([what, ids], n) => {
    const text = `one at a time: ${fit([...ids].join(", "), 200)} may change ${what}`;
    return labelled(view, n === 0 ? "overlap" : "", text);
  });
  const hidden = groups.size - MOST_OVERLAPS;
  return hidden > 0 ? [...shown, ...labelled(view, "", `${hidden} more: --json has all`)] : shown;
}

function phaseTable(phases: readonly PlannedPhase[], view: View): readonly string[] {
  const gates = new Set(phases.map(({ settings }) => settings.gate));
  const byWave = phases.toSorted((one, other) => one.wave - other.wave);
  const rows = byWave.map(({ phase, settings, wave }) => [
    String(wave),
    shortId(phase.id),
    fit(phase.dependsOn.map(shortId).join(", "), 24),
    settings.maxBudgetUsd === 0 ? "none" : money(settings.maxBudgetUsd),
    gates.size === 1 && gates.has("trust") ? "" : settings.gate,
    fit(cleanLine(phase.title), 200),
  ]);
  const head = ["wave", "phase", "needs", "limit", "gate", "title"];
  return tableLines(head, rows, ["right", "left", "left", "right", "left", "left"], view);
}

function askLines({ asks }: NebulaPlan, missing: readonly string[], view: View): readonly string[] {
  if (asks.length === 0) return [];
  const lines = asks.flatMap(({ key, value, files }) => {
    const [first = "", ...more] = files;
    const where =
      more.length === 0 ? cut(first) : `${cut(first)} and ${count(more.length, "file")}`;
    const isThere = missing.includes(value) ? "not there now" : "there now";
    return labelled(view, key, `${cut(value)} (${where}${key === "copy" ? `; ${isThere}` : ""})`);
  });
  return ["needs your yes before it starts, since it acts as you", ...lines];
}
