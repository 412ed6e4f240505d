import { expect, test } from "vitest";
import { fakeAgent, issue, writingCoder } from "../test/fake-agent.ts";
import { harness } from "../test/harness.ts";
import { runTask } from "./loop.ts";

test.for([1, 2])(
  "after %i cycles no money buys another one, whatever was spent",
  async (maxCycles) => {
    const reviewer = fakeAgent([issue("bad"), issue("bad")]);
    const loop = harness({ coder: writingCoder(), reviewer });
    // Each turn costs 0.1: the last review uses the budget up.
    const options = { ...loop.options, maxCycles, maxBudgetUsd: 0.2 * maxCycles };
    expect(await runTask({ title: "Do it" }, options)).toMatchObject({
      outcome: "max_cycles",
      cycle: maxCycles,
    });
  },
);
