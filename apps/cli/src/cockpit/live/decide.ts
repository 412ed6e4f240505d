import {
  type Answered,
  answerPhase,
  findNebula,
  NebulaError,
  type NebulaState,
} from "@quasar/nebula";
import {
  answerQuestion,
  continueNebula,
  decidePlan,
  nebulaHome,
  pauseEnds,
  pauseNebula,
  resumeCommand,
} from "@quasar/nebula/internal";
import type { Ask } from "../model/ask.ts";
import type { Ui } from "../model/ui.ts";

/** What the screen says of a decision. */
export type Note = NonNullable<Ui["note"]>;

/** Decides of a nebula, by the same calls as the commands do. */
export interface Decider {
  /** Remembers how the nebula stands: what is decided is about that. Call it when a person begins to decide. */
  begin(): void;
  /** What became of it, in words. */
  decide(ask: Ask, text: string): Note | Promise<Note>;
}

/** @param commonDir - The git folder that all work trees share. */
export function createDecider(commonDir: string, nebulaId: string): Decider {
  let shown: NebulaState | undefined;
  return {
    begin() {
      shown = findNebula(commonDir, nebulaId);
    },
    decide(ask, text) {
      return inWords(() => {
        const state = shown ?? findNebula(commonDir, nebulaId);
        return isAsShown(state, ask) ? decided(commonDir, state, ask, text) : CHANGED;
      });
    },
  };
}

/** What a person decides, with what it is about. */
export type Decision = Pick<Ask, "verb" | "phase" | "questionId">;

/** Why a nebula cannot be decided about is for the person who has tried. */
export function inWords(decide: () => Note): Note {
  try {
    return decide();
  } catch (error) {
    if (error instanceof NebulaError) return { text: error.message, isBad: true };
    throw error;
  }
}

export const CHANGED: Note = {
  text: "Nothing was decided: the change is another one by now. Look at it again.",
  isBad: true,
};

/** Whether the screen that a person has read was about the same attempt and change. */
export function isAsShown({ phases }: NebulaState, { phase: id, attempt, digest }: Ask): boolean {
  if (id === "") return true;
  const phase = phases.find((each) => each.id === id);
  return phase?.attempt === attempt && phase.digest === digest;
}

/**
 * Decides of a nebula as a person was shown it: what is another one by now is refused.
 *
 * @param state - Its phases with the attempt and the change that were shown.
 * @throws {NebulaError}
 */
export function decided(
  commonDir: string,
  state: NebulaState,
  { verb, phase, questionId }: Decision,
  text: string,
): Note {
  switch (verb) {
    case "pause":
      pauseNebula(commonDir, state, new Date());
      return good("Paused: turns in flight end, and what is approved lands.");
    case "continue":
      return continued(commonDir, state);
    case "answer":
      return noteOf(
        phase,
        answerQuestion(commonDir, state, { question: questionId, text }),
        "answered",
        state,
      );
    case "approve":
    case "reject":
    case "retry":
    case "skip": {
      const answered =
        phase === "" && (verb === "approve" || verb === "reject")
          ? decidePlan(commonDir, state, { verb, reason: text })
          : answerPhase(commonDir, state, { verb, phase, reason: text });
      return noteOf(phase === "" ? "the plan" : phase, answered, DONE[verb], state);
    }
  }
}

export const DONE = {
  approve: "accepted",
  reject: "rejected",
  retry: "begins again",
  skip: "skipped",
} as const;

function continued(commonDir: string, state: NebulaState): Note {
  continueNebula(commonDir, state);
  const left = pauseEnds(nebulaHome(commonDir, state.id), state);
  if (left.length > 0) return { text: `Still paused: ${left.join(" and ")}`, isBad: true };
  return good("It continues.");
}

const WHEN: Readonly<Record<Exclude<Answered["kind"], "refused">, string>> = {
  done: "",
  left: ", taken within a second",
  kept: ", unless it has landed",
};

/** @param about - A phase, or the plan. */
function noteOf(about: string, answered: Answered, words: string, state: NebulaState): Note {
  if (answered.kind === "refused") return { text: `${about}: ${answered.why}`, isBad: true };
  const resume = answered.kind === "left" ? "" : ` · then: ${resumeCommand(state)}`;
  return good(`${about}: ${words}${WHEN[answered.kind]}${resume}`);
}

function good(text: string): Note {
  return { text, isBad: false };
}
