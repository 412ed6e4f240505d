import type { Shortage } from "../engine/budget.ts";
import type { NebulaNow } from "../people/now.ts";
import type { AgentQuestion } from "../question.ts";
import type { NebulaState, PhaseState } from "../state/state.ts";
import type { NeedFacts } from "./nebula-facts.ts";
import { shortageWords } from "./standing.ts";

/** What a person decides of: not of what another nebula has taken the place of. */
type Deciding = Pick<NebulaState, "phases" | "archivedFrom" | "planVerdict" | "planReason">;

/**
 * What a person has to do, the most urgent first: the plan alone while it waits; else what agents ask, then what waits for
 * a decision, what failed, and what waits for a larger limit.
 */
export function needsOf(
  state: Deciding,
  { questions }: Pick<NebulaNow, "questions">,
  shortages: readonly Shortage[] = [],
): readonly NeedFacts[] {
  const { archivedFrom, planVerdict, planReason, phases } = state;
  if (archivedFrom !== "") return [];
  if (planVerdict === "asked") return [planNeed("nothing begins before you approve it")];
  if (planVerdict === "rejected") return [planNeed(`rejected${after(planReason)}`)];
  return [
    ...questions.map(agentNeed),
    ...phases.filter(isDecided).map(decisionNeed),
    ...phases.filter(({ status }) => status === "failed").map(failedNeed),
    ...phases
      .filter(({ status, question }) => status === "awaiting_human" && question === "budget")
      .map((phase) => budgetNeed(phase, shortages)),
  ];
}

const ALONE = { questionId: "", digest: "" } as const;

function planNeed(text: string): NeedFacts {
  return { kind: "plan", phase: "", text, ...ALONE };
}

function after(reason: string): string {
  return reason === "" ? "" : `: ${reason}`;
}

function agentNeed({ id: questionId, phase, summary: text }: AgentQuestion): NeedFacts {
  return { kind: "agent", phase, text, questionId, digest: "" };
}

/** Whether a person decides of a phase, and its agents ask nothing. */
function isDecided({ status, question, questions }: PhaseState): boolean {
  const isAsking = question === "answer" && questions.length > 0;
  return status === "awaiting_human" && !isAsking && question !== "budget";
}

function decisionNeed({ id, question, reason, digest }: PhaseState): NeedFacts {
  const kind = question === "land" ? "land" : "rework";
  return { kind, phase: id, text: reason, questionId: "", digest };
}

function failedNeed({ id, reason }: PhaseState): NeedFacts {
  return { kind: "failed", phase: id, text: reason, ...ALONE };
}

function budgetNeed({ id, reason }: PhaseState, shortages: readonly Shortage[]): NeedFacts {
  const shortage = shortages.find(({ phase }) => phase === id);
  const text = shortage === undefined ? reason : shortageWords(shortage);
  return { kind: "budget", phase: id, text, ...ALONE };
}
