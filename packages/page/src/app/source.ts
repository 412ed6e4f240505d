import type { TranscriptFacts } from "@quasar/runs/facts";
import type { ShownDiff } from "../shown.ts";

/** Where the page has from what is shown only once a reader opens it. */
export interface Source {
  /** Whether facts may change while they are shown. */
  readonly isLive: boolean;
  /** What an agent said and did in a turn; `undefined`: that is not kept. */
  readTranscript(turnId: string): Promise<TranscriptFacts | undefined>;
  /** What a commit or a landing changed; `undefined`: that is not known here. */
  readDiff(sha: string): Promise<ShownDiff | undefined>;
}
