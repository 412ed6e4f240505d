import type { JournalRead } from "@quasar/runs/internal";
import { missingEvents, type RecentEvents } from "../state/recent-events.ts";
import { continueStory, type NebulaStory } from "./story.ts";

/** The story with the events that the journal lacks and the state has. */
export function withRecent(
  { value, end }: Pick<JournalRead<NebulaStory>, "value" | "end">,
  recent: RecentEvents,
): NebulaStory {
  return continueStory(value, missingEvents(recent, end?.seq ?? 0).map(parsed));
}

/** `undefined` where the state has something else than JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
