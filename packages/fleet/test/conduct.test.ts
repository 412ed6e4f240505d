import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentInvoker } from "@quasar/agents";
import { LANE, type NebulaPort, PortError } from "@quasar/nebula/port";
import { expect, test, vi } from "vitest";
import { aFleet, isDone } from "./a-fleet.ts";
import { hasLanded, oneLong, SIDE_BY_SIDE } from "./side-by-side.ts";
// @boundaries-ignore one place for the tests of nebulae on one machine and on several
import {
  agent,
  aPlace,
  IN_ORDER,
  MANIFEST,
  phase,
  type Work,
  write,
} from "../../nebula/test/place.ts";

test("a nebula lands on the branch that git begins repositories with", {
  timeout: 120_000,
}, async () => {
  const files = { "nebula.toml": MANIFEST, "a.md": phase("a") };
  const place = aPlace({ "base.txt": "base\n" }, files);
  execFileSync("git", ["config", "--global", "init.defaultBranch", "trunk"]);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit("trunk");
  fleet.worker("one", { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) });
  await fleet.until(id, isDone);
  expect(fleet.inDepot("show", "trunk:a.txt")).toBe("a");
});

test("a landing waits for a server that is out of reach, and the conductor stays", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, SIDE_BY_SIDE);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const { work, end } = oneLong();
  let cuts = 2;
  const port: NebulaPort = {
    ...fleet.port,
    async fence(held) {
      if (cuts > 0) {
        cuts -= 1;
        throw new PortError("ERR_UNREACHABLE", "cut");
      }
      return fleet.port.fence(held);
    },
  };
  fleet.worker("one", work, { port });
  await fleet.until(id, hasLanded("a"));
  expect(cuts).toBe(0);
  const { holders } = await fleet.port.status(id);
  expect(holders.find((each) => each.work === LANE)?.epoch.n).toBe(1);
  end();
  await fleet.until(id, isDone);
});

test("a conductor that fails gives the lane back while runs are worked on", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, SIDE_BY_SIDE);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const { work, end } = oneLong();
  let hasFailed = false;
  const port: NebulaPort = {
    ...fleet.port,
    async fence(held) {
      if (hasFailed) return fleet.port.fence(held);
      hasFailed = true;
      throw new PortError("ERR_PROTOCOL", "not to be repaired");
    },
  };
  fleet.worker("one", work, { port });
  const { phases } = await fleet.until(id, hasLanded("a"));
  expect(phases).toMatchObject([{ id: "a" }, { id: "b", status: "running" }]);
  expect(hasFailed).toBe(true);
  end();
  await fleet.until(id, isDone);
});

test("once a usage limit is lifted phases are worked on side by side again", {
  timeout: 60_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { ...SIDE_BY_SIDE, "c.md": phase("c") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const both = Promise.withResolvers<void>();
  let [liftedAt, reviews] = [0, 0];
  const answers = agent("reviewer", async () => {
    reviews += 1;
    if (reviews === 3) both.resolve();
    // The first one tries whether the limit is lifted.
    if (reviews > 1) await both.promise;
    return "APPROVED: it is there";
  });
  const reviewer: AgentInvoker = {
    ...answers,
    async invoke(request) {
      liftedAt ||= Date.now() + 10_000;
      if (Date.now() >= liftedAt) return answers.invoke(request);
      const retryAt = new Date(liftedAt).toISOString();
      return {
        ...{ text: "", costUsd: 0, costSource: "reported", durationMs: 1 },
        failure: { kind: "rate-limit", message: "limit reached", retryable: false, retryAt },
      };
    },
  };
  const work = Object.fromEntries(
    ["a", "b", "c"].map((name) => [
      `Phase ${name}`,
      (tree: string) => write(tree, { [`${name}.txt`]: name }),
    ]),
  );
  const onlyOf = (isLane: boolean): NebulaPort => ({
    ...fleet.port,
    lease: async (ask) =>
      (ask.work === LANE) === isLane ? fleet.port.lease(ask) : Promise.resolve(undefined),
  });
  fleet.worker("conductor", {}, { port: onlyOf(true) });
  fleet.worker("one", work, { port: onlyOf(false), reviewer });
  await fleet.until(id, isDone);
  expect(reviews).toBe(3);
  // Whether the conductor's own account has a limit, nobody has said.
  expect(existsSync(join(place.root, "conductor", "state", "quasar", "limits"))).toBe(false);
});

test("what a conductor has saved before it is stopped is recorded", {
  timeout: 60_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, IN_ORDER);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  let slowMs = 0;
  const port: NebulaPort = {
    ...fleet.port,
    async record(held, entry) {
      if (entry.as === "state") await sleep(slowMs);
      return fleet.port.record(held, entry);
    },
  };
  const work: Work = {
    "Phase a": (tree) => {
      write(tree, { "a.txt": "a\n" });
      slowMs = 1000;
    },
  };
  const one = fleet.worker("one", work, { port });
  const hasBegunB = (): boolean =>
    fleet.told.some(
      (told) => told.type === "of" && told.event.type === "phase_begun" && told.event.phase === "b",
    );
  await vi.waitFor(() => expect(hasBegunB()).toBe(true), { timeout: 30_000, interval: 2 });
  await one.stop();
  const { phases } = await fleet.state(id);
  expect(phases).toMatchObject([{ status: "done" }, { status: "running" }]);
});
