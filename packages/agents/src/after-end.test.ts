import type { AgentInvoker, UnfinishedTurn } from "./agent.ts";
import { expect, test } from "vitest";
import { afterEnd } from "./after-end.ts";

test("comes after the agent has ended what was left, and not where it has nothing to end", async () => {
  const order: string[] = [];
  const note = (what: string) => async () => void order.push(what);
  const ending: Partial<AgentInvoker> = { name: "a", end: note("end") };
  await afterEnd(ending as AgentInvoker, note("after")).end?.({} as UnfinishedTurn);
  expect(order).toEqual(["end", "after"]);
  const plain: Partial<AgentInvoker> = { name: "a" };
  expect(afterEnd(plain as AgentInvoker, note("after"))).toBe(plain);
});
