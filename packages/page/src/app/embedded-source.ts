import type { TranscriptFacts } from "@quasar/runs/facts";
import { type Embedded, transcriptId } from "../embedded.ts";
import type { Source } from "./source.ts";

/** Reads what is embedded in the page: transcripts once the browser has all of it. */
export function embeddedSource({ data, leftOut }: Embedded): Source {
  return {
    isLive: false,
    async readTranscript(turnId) {
      await isRead();
      const text = document.getElementById(transcriptId(turnId))?.textContent;
      return text === undefined ? undefined : (JSON.parse(text) as TranscriptFacts);
    },
    async readDiff(sha) {
      const diff = data.diffs?.find((each) => each.sha === sha);
      return diff && { ...diff, leftOut: leftOut[sha] ?? [] };
    },
  };
}

async function isRead(): Promise<void> {
  if (document.readyState !== "loading") return;
  await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
}
