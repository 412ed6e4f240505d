import type { NebulaState } from "@quasar/nebula";
import type { NebulaPort } from "@quasar/nebula/port";
import { expect, test } from "vitest";
import type { Ask } from "../model/ask.ts";
import { CHANGED } from "./decide.ts";
import { createFleetDecider } from "./fleet-decide.ts";

const DIGEST = "d".repeat(64);

test("a change that another one has replaced since it was drawn is not decided", async () => {
  const asked: string[] = [];
  const port = new Proxy({} as NebulaPort, {
    get: (_target, name) => () => {
      asked.push(String(name));
      return Promise.reject(new Error("nobody is to be asked"));
    },
  });
  const phase = { id: "a", ref: "p1-00000000", attempt: 1, digest: "e".repeat(64) };
  const state = { phases: [phase], revision: "0" } as unknown as NebulaState;
  const decider = createFleetDecider({ port, id: "aaaaaaaaaa", stateNow: () => state });
  const ask = { verb: "approve", phase: "a", attempt: 1, digest: DIGEST } as unknown as Ask;
  decider.begin();
  expect(await decider.decide(ask, "")).toBe(CHANGED);
  expect(asked).toEqual([]);
});
