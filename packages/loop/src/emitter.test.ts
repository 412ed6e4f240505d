import { expect, test } from "vitest";
import { aCheckpoint } from "../test/fixtures.ts";
import { stateFromCheckpoint } from "./convert.ts";
import { Emitter } from "./emitter.ts";
import type { LoopEventData } from "./event.ts";

const FACTS = { state: stateFromCheckpoint(aCheckpoint({ cycle: 2 })), head: "a".repeat(40) };
const ENDED: LoopEventData = {
  type: "agent_done",
  cycle: 2,
  role: "reviewer",
  turnId: "run.2",
  costUsd: 1,
  durationMs: 1,
};
const WARNING: LoopEventData = { type: "warning", cycle: 2, message: "" };
const STORED: LoopEventData = { type: "review_complete", cycle: 2, approved: true, findings: [] };

test.for([
  ["passes over an event that no save comes with", false, ["warning", "agent_done", STORED.type]],
  ["is not told where the journal fails before the save", true, ["warning", STORED.type]],
] as const)("an event that is held %s", async ([, fails, expected]) => {
  const told: string[] = [];
  const emitter = new Emitter({
    journal: ({ type }) => {
      if (fails && type === STORED.type) throw new Error("EIO: no");
    },
    checkpoint: { onEvent: () => undefined },
    hooks: [{ onEvent: ({ type }) => void told.push(type) }],
  });
  emitter.hold(emitter.record(ENDED, FACTS));
  await emitter.emit(WARNING, FACTS);
  await emitter.emit(STORED, FACTS);
  expect(told).toEqual(expected);
});
