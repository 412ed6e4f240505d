import { readEvent } from "../facts/read-event.ts";
import { continueStory, NO_STORY, type NebulaStory } from "../facts/story.ts";
import type { NebulaEvent } from "../events.ts";
import type { KeptEvent } from "../state/recent-events.ts";

type Of<Type extends NebulaEvent["type"]> = Extract<KeptEvent, { readonly type: Type }>;

/** What the events of a nebula tell that its state does not, as far as the server still has them. */
export interface FleetHistory {
  readonly story: NebulaStory;
  /** What agents have asked, by its id. */
  readonly questions: ReadonlyMap<string, Of<"question_asked">>;
  /** The last usage limit that was met, by the phase's id. */
  readonly limits: ReadonlyMap<string, Of<"agent_limited">>;
}

export const NO_HISTORY: FleetHistory = {
  story: NO_STORY,
  questions: new Map(),
  limits: new Map(),
};

/** The same with events that came since. @param data - As the server sends them: what is no event is counted. */
export function continueHistory(before: FleetHistory, data: readonly unknown[]): FleetHistory {
  const questions = new Map(before.questions);
  const limits = new Map(before.limits);
  for (const event of data.flatMap((each) => readEvent(each) ?? [])) {
    if (event.type === "question_asked") questions.set(event.id, event);
    if (event.type === "agent_limited") limits.set(event.phase, event);
  }
  return { story: continueStory(before.story, data), questions, limits };
}
