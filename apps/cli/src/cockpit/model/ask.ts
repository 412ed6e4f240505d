import type { NebulaFacts, PhaseFacts } from "@quasar/nebula/facts";

/** What a person decides in the cockpit. */
export type Verb = "approve" | "reject" | "retry" | "skip" | "answer" | "pause" | "continue";

/** A decision that waits for its confirmation, with all that it is about: of anything else it is refused. */
export interface Ask {
  readonly verb: Verb;
  /** `""`: the plan, or the whole nebula. */
  readonly phase: string;
  /** The attempt that the phase was at; 0 without a phase. */
  readonly attempt: number;
  /** Of the change that was shown; `""` without one. */
  readonly digest: string;
  /** Of an agent's question; `""` otherwise. */
  readonly questionId: string;
}

/** Whether a person types something with it: a reason, or an answer. */
export function needsText({ verb }: Pick<Ask, "verb">): boolean {
  return verb === "reject" || verb === "answer";
}

/** What can be decided of what is selected, in the order of the keys. */
export function asksOf(nebula: NebulaFacts, phase: PhaseFacts | undefined): readonly Ask[] {
  const verbs = phase === undefined ? planVerbs(nebula) : phaseVerbs(phase, nebula);
  const isOver = nebula.status === "done";
  const pause = nebula.status === "paused" ? "continue" : "pause";
  return [...verbs, ...(isOver ? [] : ([pause] as const))].map((verb) =>
    askOf(verb, nebula, phase),
  );
}

function planVerbs({ needs }: NebulaFacts): readonly Verb[] {
  return needs.some(({ kind }) => kind === "plan") ? ["approve", "reject"] : [];
}

function phaseVerbs({ id, question, status }: PhaseFacts, nebula: NebulaFacts): readonly Verb[] {
  const isAsked = questionOf(nebula, id) !== "";
  const isOpen = status === "failed" || status === "skipped" || status === "awaiting_human";
  const canSkip = status !== "skipped" && (isOpen || status === "pending");
  return [
    ...(question === "land" ? (["approve", "reject"] as const) : []),
    ...(isAsked ? (["answer"] as const) : []),
    ...(isOpen ? (["retry"] as const) : []),
    ...(canSkip ? (["skip"] as const) : []),
  ];
}

function askOf(verb: Verb, nebula: NebulaFacts, phase: PhaseFacts | undefined): Ask {
  const isOfAll = phase === undefined || verb === "pause" || verb === "continue";
  return {
    verb,
    phase: isOfAll ? "" : phase.id,
    attempt: isOfAll ? 0 : phase.attempt,
    digest: isOfAll ? "" : phase.digest,
    questionId: verb === "answer" && phase !== undefined ? questionOf(nebula, phase.id) : "",
  };
}

/** The question of an agent of a phase that a person can answer; `""`: there is none. */
function questionOf({ needs }: NebulaFacts, id: string): string {
  return needs.find(({ kind, phase }) => kind === "agent" && phase === id)?.questionId ?? "";
}
