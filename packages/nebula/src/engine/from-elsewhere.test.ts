import type { AgentInvoker } from "@quasar/agents";
import type { FoundTurn, UnfinishedTurn } from "@quasar/agents/turns";
import { expect, test } from "vitest";
import { fromElsewhere } from "./from-elsewhere.ts";

/** What is found of a turn of another machine whose copy says so. */
async function foundOf(found: FoundTurn, boundUsd = 0): Promise<FoundTurn | undefined> {
  const responseBoundUsd = (): number => boundUsd;
  const agent = { find: async () => found, responseBoundUsd } as unknown as AgentInvoker;
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

const partial = (costUsd: number) => ({
  ...{ state: "died", sessionId: "", costUsd, costSource: "partial" },
});

test("what a copy shows of a turn counts, and two responses since", async () => {
  const cost = { costUsd: 2, costSource: "partial", unknownUsd: 0.5 } as const;
  const died = { state: "died", sessionId: "s", ...cost } as const;
  expect(await foundOf(died)).toEqual(partial(2.5));
  expect(await foundOf(died, 0.25)).toEqual(partial(3));
  expect(await foundOf({ state: "unknown" }, 0.25)).toEqual(partial(0.5));
});
