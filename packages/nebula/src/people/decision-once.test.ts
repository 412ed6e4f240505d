import { expect, test } from "vitest";
import { type PhaseState, pendingPhase } from "../state/state.ts";
import { decide, type Decision, VERBS } from "./decision.ts";

const NOW = new Date(0);
const DIGEST = "d".repeat(64);

/** A phase in its second attempt, whose change a person is asked about. */
const WAITING: PhaseState = {
  ...pendingPhase("a", "p1-00000000", NOW),
  ...{ status: "awaiting_human", question: "land", attempt: 2, digest: DIGEST },
};

const decided = (change: Partial<Decision>, phase: PhaseState = WAITING) => {
  const decision = {
    verb: "approve",
    phase: "a",
    attempt: 2,
    digest: DIGEST,
    reason: "it is not there",
    isFinal: false,
  } as const;
  return decide({ phases: [phase] }, { ...decision, ...change }, () => [], NOW);
};

test.for(VERBS)("an answer to another attempt is refused: %s", (verb) => {
  expect(decided({ verb }).kind).toBe("changes");
  expect(decided({ verb, attempt: 1 })).toEqual({
    kind: "refused",
    why: "it is about attempt 1, and attempt 2 is under way",
  });
});

test.for(["approve", "reject"] as const)("an answer to another change is refused: %s", (verb) => {
  expect(decided({ verb, digest: "e".repeat(64) })).toEqual({
    kind: "refused",
    why: "its change is another one by now: look at it again",
  });
});

test("an answer is used once", () => {
  const first = decided({});
  if (first.kind !== "changes") throw new Error(first.why);
  expect(decided({}, { ...WAITING, ...first.changes.get("a") }).kind).toBe("refused");
});

test("an unknown phase has no answer", () => {
  expect(decided({ phase: "b" })).toEqual({ kind: "refused", why: "there is no such phase" });
});
