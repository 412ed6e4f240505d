import type { AgentCapabilities } from "./agent.ts";
import type { LoopEventData } from "./event.ts";
import type { Ports } from "./run.ts";
import type { Settings } from "./settings.ts";
import type { CycleState } from "./state.ts";

/** What a person should know before a run goes off. */
export function openingWarnings(
  { coder, reviewer }: Settings,
  ports: Ports,
  state: CycleState,
): LoopEventData[] {
  const warnings: LoopEventData[] = [];
  if (ports.repository === undefined) {
    warnings.push(warning(state, "not in a git repository: nothing is committed"));
  }
  const told = new Set<string>();
  for (const { name, capabilities } of [coder, reviewer]) {
    const message = budgetNote(capabilities, state.maxBudgetUsd);
    if (message === undefined || told.has(name)) continue;
    told.add(name);
    warnings.push(warning(state, `${name} ${message}`));
  }
  return warnings;
}

/** How far a budget holds an agent, where that is not to the cent. */
function budgetNote(
  { reportsCost, streamsUsage }: AgentCapabilities,
  maxBudgetUsd: number,
): string | undefined {
  const isLimited = maxBudgetUsd > 0;
  const between = "its budget holds between turns only";
  if (!reportsCost) {
    const counted = isLimited ? `counted as all that it may cost, and ${between}` : "not counted";
    return `does not say what it costs: each turn is ${counted}`;
  }
  if (streamsUsage || !isLimited) return undefined;
  return `does not say what it uses while it works: ${between}`;
}

/** What the user should know before a new run goes off in a repository. */
export function treeWarning(state: CycleState): LoopEventData {
  const message =
    "edits made in the work tree while this runs are taken for the agent's: committed too";
  return warning(state, message);
}

export function warning({ cycle }: CycleState, message: string): LoopEventData {
  return { type: "warning", cycle, message };
}
