import type { NeedFacts } from "@quasar/nebula/facts";
import { shellWord } from "@quasar/runs/text";
import { Own } from "../untrusted/guard.ts";

/** The command by which a person decides what a nebula waits for: none of these is a tool. */
export function commandOf(need: NeedFacts, nebulaId: string): Own | string {
  const command = typed(need, nebulaId);
  // Whose id of a phase is a sentence has written the command, too.
  return /^[A-Za-z0-9._-]{0,64}$/u.test(need.phase) ? new Own(command) : command;
}

function typed({ kind, phase, questionId }: NeedFacts, nebulaId: string): string {
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
