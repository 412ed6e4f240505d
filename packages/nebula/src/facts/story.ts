import { type AttemptRecords, NO_ATTEMPTS, withAttempt } from "../state/attempts.ts";
import type { KeptEvent } from "../state/recent-events.ts";
import { eventLine } from "./event-words.ts";
import { type Life, livesAfter } from "./lives.ts";
import type {
  DecisionFacts,
  NebulaEventFacts,
  QuestionFacts,
  ReworkFacts,
  VerificationFacts,
} from "./nebula-facts.ts";
import { readEvent } from "./read-event.ts";

/** What the journal of a nebula tells. Lists are oldest first. */
export interface NebulaStory {
  readonly startedAt: string;
  readonly lastAt: string;
  readonly lives: readonly Life[];
  readonly events: readonly NebulaEventFacts[];
  readonly decisions: readonly DecisionFacts[];
  readonly questions: readonly QuestionFacts[];
  /** By the phase's id. */
  readonly phases: ReadonlyMap<string, PhaseStory>;
  /** How many events this version cannot read. */
  readonly unreadableCount: number;
}

export interface PhaseStory {
  readonly attempts: AttemptRecords;
  readonly reworks: readonly ReworkFacts[];
  readonly verifications: readonly VerificationFacts[];
  readonly warnings: readonly string[];
  /** By the commit that landed. */
  readonly landedAt: ReadonlyMap<string, string>;
}

export const NO_STORY: NebulaStory = {
  ...{ startedAt: "", lastAt: "", unreadableCount: 0 },
  ...{ lives: [], events: [], decisions: [], questions: [], phases: new Map() },
};

export const NO_PHASE_STORY: PhaseStory = {
  ...{ attempts: NO_ATTEMPTS, reworks: [], verifications: [], warnings: [] },
  landedAt: new Map(),
};

/**
 * What a journal tells with what was added to it: in one piece or in many, the result is the same. What is no event is counted.
 *
 * @param data - Of the records that came, oldest first.
 */
export function continueStory(story: NebulaStory, data: readonly unknown[]): NebulaStory {
  if (data.length === 0) return story;
  const events = data.flatMap((each) => readEvent(each) ?? []);
  return {
    startedAt: story.startedAt || (events[0]?.at ?? ""),
    lastAt: events.at(-1)?.at ?? story.lastAt,
    unreadableCount: story.unreadableCount + data.length - events.length,
    lives: events.reduce(livesAfter, story.lives),
    events: [...story.events, ...events.flatMap(eventFacts)],
    decisions: [...story.decisions, ...events.flatMap(decisionFacts)],
    questions: events.reduce(withQuestion, story.questions),
    phases: withPhases(story.phases, events),
  };
}

function eventFacts(event: KeptEvent): NebulaEventFacts | [] {
  const text = eventLine(event);
  if (text === "") return [];
  return { at: event.at, type: event.type, turnId: "", text, phase: phaseOf(event) };
}

function phaseOf(event: KeptEvent): string {
  return "phase" in event ? (event.phase ?? "") : "";
}

function decisionFacts(event: KeptEvent): DecisionFacts | [] {
  if (event.type !== "decision" && event.type !== "plan_decision") return [];
  const { verb, reason, at } = event;
  return { phase: phaseOf(event), verb, reason, at };
}

function withQuestion(
  questions: readonly QuestionFacts[],
  event: KeptEvent,
): readonly QuestionFacts[] {
  switch (event.type) {
    case "question_asked": {
      const { id, phase, role, kind, summary, at: askedAt } = event;
      const asked = { id, phase, role, kind, summary, askedAt };
      return [...questions, { ...asked, status: "open", answer: "", endedAt: "" }];
    }
    case "question_answered":
      return ended(questions, event, { status: "answered", answer: event.text });
    case "question_expired":
      return ended(questions, event, { status: "expired", answer: "" });
    default:
      return questions;
  }
}

function ended(
  questions: readonly QuestionFacts[],
  { id, at: endedAt }: { readonly id: string; readonly at: string },
  how: Pick<QuestionFacts, "status" | "answer">,
): readonly QuestionFacts[] {
  return questions.map((asked) =>
    asked.id === id && asked.status === "open" ? { ...asked, ...how, endedAt } : asked,
  );
}

function withPhases(
  phases: ReadonlyMap<string, PhaseStory>,
  events: readonly KeptEvent[],
): ReadonlyMap<string, PhaseStory> {
  const changed = new Map(phases);
  for (const event of events) {
    const id = phaseOf(event);
    if (id !== "") changed.set(id, withPhaseEvent(changed.get(id) ?? NO_PHASE_STORY, event));
  }
  return changed;
}

function withPhaseEvent(story: PhaseStory, event: KeptEvent): PhaseStory {
  const { at } = event;
  const known = { ...story, attempts: withAttempt(story.attempts, event) };
  switch (event.type) {
    case "rework": {
      const { attempt, findings } = event;
      return { ...known, reworks: [...story.reworks, { attempt, findings, at }] };
    }
    case "verification": {
      const { tree, outcome } = event;
      return { ...known, verifications: [...story.verifications, { tree, outcome, at }] };
    }
    case "phase_landed": {
      const landedAt = new Map(story.landedAt).set(event.candidate, at);
      return { ...known, landedAt };
    }
    case "warning": {
      const warnings = new Set(story.warnings).add(event.message);
      return { ...known, warnings: [...warnings] };
    }
    default:
      return known;
  }
}
