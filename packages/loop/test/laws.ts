import type { Nature } from "./agents.ts";
import { RESPONSE_USD } from "./agents.ts";
import type { Traces } from "./simulation.ts";

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const sum = (amounts: Iterable<number>): number => [...amounts].reduce((a, b) => a + b, 0);

/** What a crash may not change, and what it may cost: the names of the laws that it broke. */
export function broken(traces: Traces, whole: Traces, { fate }: Nature): readonly string[] {
  const { kills, starts } = traces;
  const survives = fate === "ends" || fate === "lives";
  const laws: Record<string, boolean> = {
    "commits are the same": same(traces.subjects, whole.subjects),
    "no cycle's work is committed twice": same(
      withoutFixes(traces.subjects),
      withoutFixes(whole.subjects),
    ),
    "nothing is left uncommitted": traces.clean,
    "the final tree is the same": same(traces.files, whole.files),
    "the findings on record are the same": same(
      traces.children.toSorted(),
      whole.children.toSorted(),
    ),
    "no finished turn is paid for again": traces.repeated.length === 0,
    "nothing is left to resume": !traces.stored,
    "no turn is skipped": starts >= whole.starts,
    "a crash repeats one unfinished turn at most": starts <= whole.starts + (survives ? 0 : kills),
    "a resumed run says so first": traces.events
      .slice(1)
      .every(([first]) => first === undefined || first === "resumed" || first === "warning"),
    "the journal holds each fact once": same(
      factsOf(traces, fate).toSorted(),
      factsOf(whole, fate).toSorted(),
    ),
    ...Object.fromEntries(traces.violations.map((violation) => [violation, false])),
    ...lawsOfResult(traces, whole, fate),
  };
  return Object.keys(laws).filter((law) => laws[law] !== true);
}

/** An end that nobody can find may have come and be on record, and the turn be taken again. */
function factsOf({ facts }: Traces, fate: Nature["fate"]): readonly string[] {
  return fate === "unknown" ? [...new Set(facts)] : facts;
}

function lawsOfResult(
  { result, bills }: Traces,
  whole: Traces,
  fate: Nature["fate"],
): Record<string, boolean> {
  const survives = fate === "ends" || fate === "lives";
  // What an agent had said by its end can be read.
  const isFound = fate !== "unknown";
  if (result === undefined || whole.result === undefined) return {};
  const { ledger, totalCostUsd, maxBudgetUsd } = { ...result.checkpoint, ...result };
  const billed = sum(bills.values());
  const lost = ledger.filter(({ status }) => status === "lost");
  const billOf = (turnId: string): number => bills.get(turnId) ?? 0;
  const booked = new Set(ledger.map(({ turnId }) => turnId));
  return {
    "the outcome is the same": result.outcome === whole.result.outcome,
    "the cycle is the same": result.cycle === whole.result.cycle,
    "the report is the same": same(result.report, whole.result.report),
    "the findings are the same": same(result.allFindings, whole.result.allFindings),
    "each cycle has one commit":
      result.cycleCommits.length === whole.result.cycleCommits.length &&
      result.cycleCommits.every((sha) => sha !== ""),
    "each turn is booked once": booked.size === ledger.length,
    "each bill is booked": [...bills].every(([turnId, usd]) => usd === 0 || booked.has(turnId)),
    "what is known of a turn is what it cost": ledger.every(
      ({ status, turnId, costUsd }) => status === "lost" || costUsd === billOf(turnId),
    ),
    "a lost turn counts with its bill at least, and with what was seen and one response at most":
      lost.every(({ turnId, costUsd, reservedUsd }) =>
        isFound
          ? costUsd >= billOf(turnId) && costUsd <= billOf(turnId) + RESPONSE_USD
          : costUsd === reservedUsd,
      ),
    "no cost is forgotten": !isFound || totalCostUsd >= billed - 1e-9,
    "no cost is invented":
      totalCostUsd <=
      billed + sum(lost.map(({ reservedUsd }) => (isFound ? RESPONSE_USD : reservedUsd))) + 1e-9,
    "an agent that outlives its runner is never lost": !survives || lost.length === 0,
    "the bill keeps to the budget": billed <= maxBudgetUsd + bills.size * RESPONSE_USD + 1e-9,
  };
}

const withoutFixes = (subjects: readonly string[]): readonly string[] =>
  subjects.filter((subject) => !subject.endsWith("(lint fix)"));
