import type { ApplyOptions, PhaseRunOptions } from "@quasar/nebula";
import { type NebulaPlan, planNebula } from "@quasar/nebula/plan";
import type { NebulaSpec, PhaseSpec } from "@quasar/nebula/spec";
import { type Agents, agentsCreator } from "../../shared/agents.ts";
import type { Settings } from "../../shared/config/settings.ts";
import { runOptionsOf } from "../run-options.ts";
import { userSettings } from "./user-settings.ts";

const OTHER_WAYS = { start: "quasar nebula apply DIR --auto" };

/**
 * What each phase's run works by: the user's settings, with what the phase and its nebula say.
 *
 * @param createAgents - Of the settings of a phase. @default those that are installed here; any other is an error
 */
export function phaseOptions(
  settings: Settings,
  planOf: Planner,
  createAgents: (settings: Settings) => Agents = agentsCreator(OTHER_WAYS),
): ApplyOptions["optionsOf"] {
  const made = new WeakMap<PhaseSpec, PhaseRunOptions>();
  return (spec, nebula) => {
    const known = made.get(spec);
    if (known !== undefined) return known;
    const planned = planOf(nebula).phases.find(({ phase }) => phase.id === spec.id);
    const { model, coder, reviewer, checks, maxReviewCycles } = planned?.settings ?? {};
    const own: Settings = {
      ...settings,
      coder: coder ?? settings.coder,
      reviewer: reviewer ?? settings.reviewer,
      coderModel: model ?? settings.coderModel,
      filter: checks ?? settings.filter,
      maxCycles: maxReviewCycles ?? settings.maxCycles,
    };
    const {
      maxBudgetUsd: _own,
      onEnd: _end,
      waitLimitMs: _wait,
      ...options
    } = runOptionsOf(own, createAgents(own));
    made.set(spec, options);
    return options;
  };
}

export type Planner = (nebula: NebulaSpec) => NebulaPlan;

/** Plans each revision of a nebula once. */
export function planner(settings: Settings): Planner {
  const plans = new WeakMap<NebulaSpec, NebulaPlan>();
  return (nebula) => {
    const known = plans.get(nebula);
    if (known !== undefined) return known;
    const plan = planNebula(nebula, { user: userSettings(settings), hasSubmodules: false });
    plans.set(nebula, plan);
    return plan;
  };
}
