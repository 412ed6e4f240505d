import type { AgentRole } from "@quasar/agents";
import type { RunKind } from "../run-kind.ts";
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

/** The same for a run that may spend what it likes. */
export function rolesAhead(state: CycleState, runKind: RunKind): readonly AgentRole[] {
  const next = nextStep({ ...state, maxBudgetUsd: 0 }, { detectStruggle: false, runKind });
  return "step" in next ? rolesToCome(state, next.step, runKind) : [];
}
