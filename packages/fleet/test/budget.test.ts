import type { AgentInvoker } from "@quasar/agents";
import type { NebulaState } from "@quasar/nebula";
import { expect, test } from "vitest";
// @boundaries-ignore one place for the tests of nebulae on one machine and on several
import { agentsOf, aPlace, MANIFEST, phase, type Work, write } from "../../nebula/test/place.ts";
import { aFleet } from "./a-fleet.ts";
import { cuttable } from "./cuttable.ts";

const IDS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const [TOTAL_USD, PHASE_USD, TURN_USD] = [3, 1.5, 0.6];

/** Agents that spend so much a turn, at most their allowance, and how much they have spent. */
function payingAgents(work: Work) {
  const paid = { usd: 0 };
  const paying = (given: AgentInvoker): AgentInvoker => ({
    ...given,
    // Half a turn: two responses are one.
    responseBoundUsd: () => TURN_USD / 2,
    find: async () => ({ state: "unknown" }),
    async invoke(request, options) {
      const costUsd = Math.min(request.maxCostUsd ?? TURN_USD, TURN_USD);
      paid.usd += costUsd;
      return { ...(await given.invoke(request, options)), costUsd };
    },
  });
  const optionsOf: ReturnType<typeof agentsOf> = (of) => {
    const { coder, reviewer } = agentsOf(work)(of);
    return { coder: paying(coder), reviewer: paying(reviewer) };
  };
  return { paid, optionsOf };
}

test("however many machines work, and one of them is lost, no more is spent than the total", {
  timeout: 120_000,
}, async () => {
  const files = Object.fromEntries(IDS.map((id) => [`${id}.md`, phase(id)]));
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, ...files });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const link = cuttable(fleet.port);
  const limitsOf = () => ({ maxWorkers: 4, totalUsd: TOTAL_USD, phaseUsd: PHASE_USD });
  const mayEnd = Promise.withResolvers<void>();
  const writes = (tree: string, title: string): void => write(tree, { [`${title}.txt`]: "x\n" });
  const titles = IDS.map((each) => `Phase ${each}`);
  let isLost = false;
  const one = payingAgents(
    Object.fromEntries(
      titles.map((title) => [
        title,
        async (tree: string) => {
          if (title !== "Phase a") return writes(tree, title);
          [isLost, link.cut] = [true, true];
          await mayEnd.promise;
        },
      ]),
    ),
  );
  const two = payingAgents(
    Object.fromEntries(titles.map((title) => [title, (tree: string) => writes(tree, title)])),
  );
  fleet.worker("one", {}, { port: link.port, limitsOf, optionsOf: one.optionsOf });
  await expect.poll(() => isLost, { timeout: 20_000 }).toBe(true);
  fleet.worker("two", {}, { limitsOf, optionsOf: two.optionsOf });
  const isOver = ({ phases }: NebulaState): boolean =>
    phases.every(({ status }) => status !== "running" && status !== "queued") &&
    phases.some(({ status }) => status === "done");
  const isUsedUp = async (): Promise<boolean> => {
    const { holders } = await fleet.port.status(id);
    return holders.length === 0 && isOver(await fleet.state(id));
  };
  await expect.poll(isUsedUp, { timeout: 60_000, interval: 200 }).toBe(true);
  mayEnd.resolve();
  const { phases } = await fleet.state(id);
  expect(one.paid.usd).toBeGreaterThan(0);
  expect(one.paid.usd + two.paid.usd).toBeLessThanOrEqual(TOTAL_USD + 1e-9);
  const done = phases.filter(({ status }) => status === "done");
  expect(done.length).toBeLessThan(IDS.length);
  const log = fleet.inDepot("log", "--first-parent", "--format=%s", "nebula/demo");
  expect(log.split("\n").filter((line) => line.startsWith("Land "))).toHaveLength(done.length);
});
