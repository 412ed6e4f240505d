import type { AgentInvoker } from "@quasar/agents";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { agentsOf, aPlace, MANIFEST, phase, type Work, write } from "./place.ts";

const FILES = {
  "nebula.toml": `${MANIFEST}[execution]\nmax_workers = 3\n`,
  ...Object.fromEntries(["a", "b", "c", "d"].map((id) => [`${id}.md`, phase(id)])),
};
const WORK: Work = Object.fromEntries(
  ["a", "b", "c", "d"].map((id) => [`Phase ${id}`, (tree: string) => write(tree, { [id]: id })]),
);

/** The agents of a phase, whose coder meets a usage limit for as long as `isLimited` says. */
const limitedCoder = (isLimited: (title: string) => string | undefined, asked: string[]) => {
  const agents = agentsOf(WORK);
  return (spec: { readonly title: string }) => {
    const { coder, reviewer } = agents(spec);
    const invoke: AgentInvoker["invoke"] = async (request, ...rest) => {
      const retryAt = isLimited(spec.title);
      asked.push(spec.title);
      if (retryAt === undefined) {
        const result = await coder.invoke(request, ...rest);
        await sleep(300);
        asked.push("done");
        return result;
      }
      const failure = {
        kind: "rate-limit",
        message: "limit reached",
        retryable: false,
        retryAt,
      } as const;
      return { failure, text: "", costUsd: 0, costSource: "reported", durationMs: 1 };
    };
    return { coder: { ...coder, invoke }, reviewer };
  };
};

const limits = { maxWorkers: 3, totalUsd: 0, phaseUsd: 5 };

test("a usage limit stops all phases of the agent, and the same command works later", async () => {
  const place = aPlace({}, FILES);
  const asked: string[] = [];
  const retryAt = new Date(Date.now() + 3_600_000).toISOString();
  const { reason, state } = await place.apply(WORK, {
    limits,
    optionsOf: limitedCoder(() => retryAt, asked),
  });
  expect(reason).toBe("limit");
  // Those that were under way met it; the fourth never asked.
  expect(asked).toHaveLength(3);
  expect(state.phases.filter(({ status }) => status === "running")).toHaveLength(3);
});

test("once the limit is lifted one phase tries, and the others follow when it has succeeded", async () => {
  const place = aPlace({}, FILES);
  const asked: string[] = [];
  const lifted = Date.now() + 4000;
  const { reason } = await place.apply(WORK, {
    limits: { ...limits, waitMs: 60_000 },
    optionsOf: limitedCoder(
      () => (Date.now() < lifted ? new Date(lifted).toISOString() : undefined),
      asked,
    ),
  });
  expect(reason).toBe("done");
  // Three met it, then one tried alone, and each of the four worked once.
  expect(asked.slice(3)).toHaveLength(8);
  expect(asked[4]).toBe("done");
  expect(asked.slice(5).filter((each) => each !== "done")).toHaveLength(3);
});
