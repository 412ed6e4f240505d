import type { AgentCapabilities } from "@quasar/agents";
import type { LoopEventData } from "./event.ts";
import type { Ports } from "./run.ts";
import type { Settings } from "./settings.ts";
import { dollars, reservation } from "./money/money.ts";
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
    const message = budgetNote(capabilities, state);
    if (message === undefined || told.has(name)) continue;
    told.add(name);
    warnings.push(warning(state, `${name} ${message}`));
  }
  return warnings;
}

/** What holds an agent whose use is not known while it works. */
function budgetNote(
  { reportsCost, streamsUsage }: AgentCapabilities,
  state: CycleState,
): string | undefined {
  const isLimited = state.maxBudgetUsd > 0;
  const held = "its time limits a turn, not its cost";
  if (!reportsCost) {
    const cost = isLimited ? `counts as ${dollars(reservation(state))}` : "is not counted";
    return `is not known to report what it costs: ${held}, and a turn without a report ${cost}`;
  }
  if (streamsUsage || !isLimited) return undefined;
  return `does not report what it uses while it works: ${held}`;
}

/** What the user should know before a new run goes off in a repository. */
export function treeWarning(state: CycleState): LoopEventData {
  const message =
    "Don't edit files here while this runs: your edits would be committed with the agent's.";
  return warning(state, message);
}

export function warning({ cycle }: CycleState, message: string): LoopEventData {
  return { type: "warning", cycle, message };
}
