import type { TranscriptFacts } from "@quasar/runs/facts";
import { cleanTexts } from "./clean-texts.ts";
import { cutDiff } from "./cut-diff.ts";
import type { ChangeDiff } from "./report-data.ts";
import { saidIn } from "./transcript-text.ts";

/** What of a change the page shows. */
export interface ShownDiff extends ChangeDiff {
  /** Paths of files that are not in `text`, since they are too large. */
  readonly leftOut: readonly string[];
}

/** UTF-16 code units of a diff; files that do not fit are named with the command that shows them. */
const MOST_OF_DIFF = 200_000;

/** @param diff - Without secrets. */
export function shownDiff(diff: ChangeDiff): ShownDiff {
  return cleanTexts({ ...diff, ...cutDiff(diff.text, MOST_OF_DIFF) });
}

/** Without what is not shown. @param transcript - Without secrets. */
export function shownTranscript(transcript: TranscriptFacts): TranscriptFacts {
  const events = transcript.events.filter((event) => saidIn(event) !== undefined);
  return cleanTexts({ ...transcript, events });
}
