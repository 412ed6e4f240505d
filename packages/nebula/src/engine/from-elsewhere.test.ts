import type { AgentInvoker } from "@quasar/agents";
import type { FoundTurn, UnfinishedTurn } from "@quasar/agents/turns";
import { expect, test } from "vitest";
import { fromElsewhere } from "./from-elsewhere.ts";

/** What is found of a turn of another machine whose copy says so. */
async function foundOf(found: FoundTurn): Promise<FoundTurn | undefined> {
  const agent = { find: async () => found } as unknown as AgentInvoker;
  return fromElsewhere(agent).find?.({} as UnfinishedTurn);
}

test("an end that was copied is known", async () => {
  const ended = { state: "ended", result: undefined } as const;
  expect(await foundOf(ended)).toBe(ended);
});

test.for<FoundTurn>([
  { state: "alive" },
  { state: "unknown" },
  { state: "not-started" },
  { state: "died", costSource: "unknown", sessionId: "s", isLeft: true },
])("of a turn that is %o in its copy nothing is known", async (found) => {
  const gone = { state: "died", sessionId: "", costUsd: undefined, costSource: "unknown" };
  expect(await foundOf(found)).toEqual(gone);
});

test("what a copy shows of a turn counts, the rest of what was reserved with it", async () => {
  const cost = { costUsd: 2, costSource: "partial", unknownUsd: 0.5 } as const;
  expect(await foundOf({ state: "died", sessionId: "s", ...cost })).toEqual({
    ...{ state: "died", sessionId: "", costUsd: 2.5, costSource: "partial" },
  });
});
