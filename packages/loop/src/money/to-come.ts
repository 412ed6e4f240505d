import type { AgentRole } from "@quasar/agents";
import type { Checkpoint } from "@quasar/checkpoint";
import { stateFromCheckpoint } from "../convert.ts";
import { type RunKind, LOOP } from "../run-kind.ts";
import type { CycleState } from "../state.ts";
import { nextStep, type Step } from "../steps.ts";

const BOTH: readonly AgentRole[] = ["coder", "reviewer"];
const REVIEW: readonly AgentRole[] = ["reviewer"];

const OF_STEP: Readonly<Record<Step, readonly AgentRole[]>> = {
  begin: BOTH,
  recover: BOTH,
  again: BOTH,
  commit: REVIEW,
  fix: BOTH,
  lint: REVIEW,
  filter: REVIEW,
  review: REVIEW,
  judge: [],
  approve: [],
  resolve: BOTH,
};

const RECOVERING: ReadonlySet<Step> = new Set(["recover", "again"]);

/** Whose turns are to come up to the end of the cycle, by the step that is next. */
export function rolesToCome(
  { turn }: Pick<CycleState, "turn">,
  step: Step,
  { roles }: RunKind,
): readonly AgentRole[] {
  const isOfReviewer = turn?.role === "reviewer" && RECOVERING.has(step);
  return OF_STEP[step].filter(
    (role) => roles.includes(role) && !(isOfReviewer && role === "coder"),
  );
}

/** Whose turn starts next in a run that stands at a checkpoint, as far as that says; the coder's where none does. */
export function nextRole(checkpoint: Checkpoint): AgentRole {
  const [role = "coder"] = rolesAhead(stateFromCheckpoint(checkpoint), LOOP);
  return role;
}

/** Whose turns those are where a run may spend what it likes. */
export function rolesAhead(state: CycleState, runKind: RunKind): readonly AgentRole[] {
  const next = nextStep({ ...state, maxBudgetUsd: 0 }, { detectStruggle: false, runKind });
  return "step" in next ? rolesToCome(state, next.step, runKind) : [];
}
