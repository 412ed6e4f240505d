import type { TranscriptFacts } from "@quasar/runs/facts";
import { transcriptId } from "../embedded.ts";
import type { ReadTranscript } from "./turns.tsx";

/** Reads the transcript of a turn from the page, once the browser has all of it. */
export const readTranscript: ReadTranscript = async (turnId) => {
  await isRead();
  const text = document.getElementById(transcriptId(turnId))?.textContent;
  return text === undefined ? undefined : (JSON.parse(text) as TranscriptFacts);
};

async function isRead(): Promise<void> {
  if (document.readyState !== "loading") return;
  await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
}
