import type { NeedFacts } from "@quasar/nebula/facts";
import { shellWord } from "@quasar/runs/text";

/** The command by which a person decides what a nebula waits for: none of these is a tool. */
export function commandOf({ kind, phase, questionId }: NeedFacts, nebulaId: string): string {
  const of = `--nebula ${nebulaId}`;
  switch (kind) {
    case "plan":
      return `quasar nebula approve ${of}`;
    case "land":
      return `quasar nebula approve ${shellWord(phase)} ${of}`;
    case "answer":
    case "agent":
      return questionId === ""
        ? `quasar nebula status ${nebulaId}`
        : `quasar nebula answer ${questionId} "…" ${of}`;
    case "rework":
    case "budget":
    case "failed":
      return `quasar nebula retry ${shellWord(phase)} ${of}`;
  }
}
