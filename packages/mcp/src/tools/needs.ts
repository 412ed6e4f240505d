import type { NeedFacts } from "@quasar/nebula/facts";
import { shellWord } from "@quasar/runs/text";

/** The command by which a person decides what a nebula waits for: none of these is a tool. */
export function commandOf({ kind, phase, questionId }: NeedFacts, nebulaId: string): string {
  const of = `--nebula ${nebulaId}`;
  const one = `${of} ${phase.startsWith("-") ? "-- " : ""}${shellWord(phase)}`;
  switch (kind) {
    case "plan":
      return `quasar nebula approve ${of}`;
    case "land":
      return `quasar nebula approve ${one}`;
    case "agent":
      return `quasar nebula answer ${questionId} "your answer"`;
    case "rework":
    case "failed":
      return `quasar nebula retry ${one}`;
    case "budget":
      return `quasar nebula plan ${nebulaId}`;
  }
}
