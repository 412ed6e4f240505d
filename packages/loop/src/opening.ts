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
  const without = (capability: "reportsCost" | "streamsUsage"): ReadonlySet<string> =>
    new Set(
      [coder, reviewer]
        .filter(({ capabilities }) => !capabilities[capability])
        .map((agent) => agent.name),
    );
  for (const name of without("reportsCost")) {
    const counted = state.maxBudgetUsd === 0 ? "not counted" : "counted as all that it may cost";
    warnings.push(warning(state, `${name} does not say what it costs: each turn is ${counted}`));
  }
  for (const name of state.maxBudgetUsd === 0 ? [] : without("streamsUsage")) {
    const holds = "its budget holds between turns only";
    warnings.push(warning(state, `${name} does not say what it uses while it works: ${holds}`));
  }
  return warnings;
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
