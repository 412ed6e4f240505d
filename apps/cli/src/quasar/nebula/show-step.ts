import { shellWord } from "@quasar/runs/text";

/** Shows all of a phase. */
export function showStep(phase: string, nebulaId: string): string {
  return `quasar nebula show ${nebulaId} ${phase.startsWith("-") ? "-- " : ""}${shellWord(phase)}`;
}
