import { statSync } from "node:fs";
import { readJournal } from "@quasar/durable/journal";
import type { NebulaHome } from "../state/home.ts";
import { missingEvents, type RecentEvents } from "../state/recent-events.ts";
import { NO_STORY, type NebulaStory, storyAfter } from "./story.ts";

/** Up to where a journal was read; `undefined`: nothing of it was. */
type Position = NonNullable<ReturnType<typeof readJournal>>["end"] | undefined;

/** What a look at a journal has found. */
export interface ReadStory {
  readonly story: NebulaStory;
  /** Damage of the journal, in words: what is behind it is not believed. */
  readonly problems: readonly string[];
}

/** Reads a journal again and again: each look parses what came since the one before. */
export interface StoryReader {
  /** @throws {DurableError} as `readJournal` */
  readonly look: () => void;
  /** What was read, with the events that the journal lacks and the state has. */
  readonly with: (recent: RecentEvents) => ReadStory;
}

export function createStoryReader({ journal: path }: Pick<NebulaHome, "journal">): StoryReader {
  let seen = "";
  let end: Position;
  let story = NO_STORY;
  let problems: readonly string[] = [];
  return {
    look() {
      // Before it is read: what is added meanwhile is read by the next look.
      const now = identityOf(path);
      if (now === seen) return;
      const next = readOn(path, end, story) ?? readOn(path, undefined, NO_STORY);
      ({ end, story, problems } = next ?? { end: undefined, story: NO_STORY, problems: [] });
      seen = now;
    },
    with(recent) {
      const missing = missingEvents(recent, end?.seq ?? 0).map(parsed);
      return { story: storyAfter(story, missing), problems };
    },
  };
}

/** `undefined` where there is no journal, or not the one that was read before: one that is damaged is quarantined. */
function readOn(
  path: string,
  from: Position,
  before: NebulaStory,
): (ReadStory & { readonly end: Position }) | undefined {
  const found = readJournal(path, { from, joins: true });
  if (found === undefined) return undefined;
  const { records, end, damage } = found;
  if (damage !== undefined && records.length === 0 && from !== undefined) return undefined;
  const data = records.map((record) => record.data);
  const problems = damage === undefined ? [] : [`its journal: ${damage.message}`];
  return { story: storyAfter(before, data), end, problems };
}

/** Another for each content of a file; `""`: there is none. */
function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? "" : `${stat.dev}.${stat.ino}.${stat.size}.${stat.mtimeNs}`;
}

/** `undefined` where the state has something else than JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
