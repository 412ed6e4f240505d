import type { NebulaFacts, NeedFacts } from "@quasar/nebula/facts";
import type { Decision, DecisionVerb } from "@quasar/page/live";

/**
 * All that a person can decide on the page now.
 *
 * @param revision - Of the nebula's files, asked where the plan waits: a decision of the plan is about those.
 */
export function decisionsOf(nebula: NebulaFacts, revision: () => string): readonly Decision[] {
  const { needs, status, isArchived } = nebula;
  if (isArchived) return [];
  const ofNeeds = needs.flatMap((need) => verbsOf(need).map((verb) => decisionOf(verb, need)));
  const isOver = status === "done";
  const pause = status === "paused" ? "continue" : "pause";
  return [...ofNeeds, ...(isOver ? [] : [{ ...OF_ALL, verb: pause } as const])];

  function decisionOf(
    verb: DecisionVerb,
    { kind, phase, questionId, digest }: NeedFacts,
  ): Decision {
    if (kind === "plan") return { ...OF_ALL, verb, digest: revision() };
    const attempt = nebula.phases.find(({ id }) => id === phase)?.attempt ?? 0;
    return { verb, phase, attempt, digest, questionId };
  }
}

const OF_ALL = { phase: "", attempt: 0, digest: "", questionId: "" } as const;

function verbsOf({ kind }: NeedFacts): readonly DecisionVerb[] {
  if (kind === "agent") return ["answer"];
  return kind === "plan" || kind === "land" ? ["approve", "reject"] : [];
}
