import { expect, test } from "vitest";
import type { AgentEvent } from "./agent.ts";
import { inTree } from "./in-tree.ts";

const told = (event: AgentEvent): unknown => {
  const events: AgentEvent[] = [];
  inTree((one) => events.push(one), "/home/ada/shop")(event);
  return events[0];
};

test.for([
  ["a file in the work tree", "Write", "/home/ada/shop/src/a.ts", "src/a.ts"],
  ["some of them", "edit", "/home/ada/shop/a /home/ada/shop/b", "a b"],
  ["a file elsewhere", "Read", "/home/ada/shop-2/a.ts", "/home/ada/shop-2/a.ts"],
  ["a command", "Bash", "rm -r /home/ada/shop/", "rm -r /home/ada/shop/"],
] as const)("tells %s", ([, name, detail, shown]) => {
  expect(told({ type: "tool", name, detail })).toEqual({ type: "tool", name, detail: shown });
});

test("passes on what is said as it is", () => {
  const text = { type: "text", text: "See /home/ada/shop/a.ts" } as const;
  expect(told(text)).toEqual(text);
});
