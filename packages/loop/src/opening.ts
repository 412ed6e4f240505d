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
  const silent = [coder, reviewer].filter(({ capabilities }) => !capabilities.reportsCost);
  for (const name of new Set(silent.map((agent) => agent.name))) {
    const counted = state.maxBudgetUsd === 0 ? "not counted" : "counted as all that it may cost";
    warnings.push(warning(state, `${name} does not say what it costs: each turn is ${counted}`));
  }
  return warnings;
}

export function warning({ cycle }: CycleState, message: string): LoopEventData {
  return { type: "warning", cycle, message };
}
