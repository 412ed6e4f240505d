import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { NebulaState } from "@quasar/nebula";
import { depotNames } from "@quasar/nebula/fleet";
import { LANE, type NebulaPort, type PromiseId } from "@quasar/nebula/port";
import { expect, test } from "vitest";
// @boundaries-ignore one place for the tests of nebulae on one machine and on several
import { aPlace, IN_ORDER, MANIFEST, phase, type Work, write } from "../../nebula/test/place.ts";
import { aFleet, isDone } from "./a-fleet.ts";
import { hasLanded, oneLong, SIDE_BY_SIDE } from "./side-by-side.ts";

// Errors that no time heals: they are in nobody's way.

test("a run that cannot be fetched fails its phase, and is in nobody's way", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, SIDE_BY_SIDE);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const { work, end } = oneLong();
  /** Has the copy of a run be one that nobody takes: it has a link. */
  const spoil = (ref: string, input: string): void => {
    const made = (args: readonly string[], text = ""): string =>
      execFileSync("git", args, { cwd: fleet.depot, input: text, encoding: "utf8" }).trim();
    const blob = made(["hash-object", "-w", "--stdin"], input);
    const tree = made(["mktree"], `120000 blob ${blob}\tlink\n`);
    fleet.inDepot("update-ref", ref, made(["commit-tree", "-m", "Run", tree]));
  };
  const port: NebulaPort = {
    ...fleet.port,
    async record(held, entry) {
      const { offers } = await fleet.port.status(id);
      const offer = offers.find((each) => each.work === held.work);
      if (entry.as === "result" && offer !== undefined && held.work.startsWith("p1-")) {
        spoil(depotNames(id).run(held.work, offer.runId, held.epoch), "/etc/passwd");
      }
      return fleet.port.record(held, entry);
    },
  };
  const one = fleet.worker("one", work, { port });
  const isFailed = ({ phases }: NebulaState): boolean => phases[0]?.status === "failed";
  const { phases } = await fleet.until(id, isFailed);
  expect(phases).toMatchObject([
    { id: "a", reason: expect.stringMatching(/^its run cannot be fetched: .*restored/u) },
    { id: "b", status: "running" },
  ]);
  // The conductor that comes next has the same run before it.
  const stopped = one.stop();
  end();
  await stopped;
  fleet.worker("two", work);
  await fleet.until(id, hasLanded("b"));
  expect(fleet.told).toContainEqual(
    expect.objectContaining({
      event: {
        type: "warning",
        message: expect.stringContaining("has cost is not known here"),
      },
    }),
  );
});

test("an answer that is none is taken, and reported", { timeout: 60_000 }, async () => {
  const place = aPlace({ "base.txt": "base\n" }, IN_ORDER);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const kinds = ["gate/p1-00000000/1/", "question/q-00000000", "plan/00000000", "other/x"] as const;
  const taken = new Set<string>();
  const port: NebulaPort = {
    ...fleet.port,
    async record(held, entry) {
      const recorded = await fleet.port.record(held, entry);
      if (entry.as === "state") for (const key of entry.taken) taken.add(key);
      return recorded;
    },
    async status(nebula) {
      const status = await fleet.port.status(nebula);
      const left = kinds
        .map((item, at) => ({ key: `${900 + at}`, id: item as PromiseId, value: { verb: 1 } }))
        // The answer to a question stays for as long as it is asked.
        .filter((item) => item.id.startsWith("question/") || !taken.has(item.key));
      return { ...status, inbox: [...status.inbox, ...left] };
    },
  };
  const work: Work = {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  };
  fleet.worker("one", work, { port });
  await fleet.until(id, isDone);
  expect([...taken].filter((key) => key.startsWith("90"))).toHaveLength(kinds.length);
  const warnings = fleet.told.flatMap((told) =>
    told.type === "of" && told.event.type === "warning" ? [told.event.message] : [],
  );
  for (const item of kinds) {
    expect(warnings.filter((message) => message.includes(item))).toHaveLength(1);
  }
});

test("a run that its worker cannot carry out is left alone for longer and longer, then fails", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  // Where its clone would be.
  write(place.root, { [`one/state/quasar/fleet/${id}/work`]: "a file" });
  const waits: (number | undefined)[] = [];
  const port: NebulaPort = {
    ...fleet.port,
    async release(held, how) {
      if (held.work !== LANE) waits.push(how?.waitMs);
      await fleet.port.release(held);
    },
  };
  fleet.worker("one", {}, { port });
  const { phases } = await fleet.until(id, (state) => state.phases[0]?.status === "failed");
  expect(phases).toMatchObject([{ reason: expect.stringContaining(`fleet/${id}/work`) }]);
  expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, undefined]);
});

test("a worker that cannot read a nebula is in nobody's way", { timeout: 60_000 }, async () => {
  const place = aPlace({ "base.txt": "base\n" }, IN_ORDER);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const taken: string[] = [];
  const ofLaterVersion = (state: string): string =>
    state.replace(/^version = \d+/mu, "version = 99");
  const port: NebulaPort = {
    ...fleet.port,
    async status(nebula) {
      const status = await fleet.port.status(nebula);
      return { ...status, state: ofLaterVersion(status.state) };
    },
    async lease(ask) {
      const lease = await fleet.port.lease(ask);
      if (lease !== undefined) taken.push(lease.work);
      return lease;
    },
  };
  fleet.worker("old", {}, { port });
  await sleep(6000);
  expect(taken).toEqual([LANE]);
  const isBegun = (state: NebulaState): boolean => state.phases[0]?.status === "running";
  const conductor = fleet.worker(
    "conductor",
    {},
    {
      port: {
        ...fleet.port,
        lease: async (ask) => (ask.work === LANE ? fleet.port.lease(ask) : undefined),
      },
    },
  );
  await fleet.until(id, isBegun);
  await sleep(3000);
  expect(taken).toHaveLength(2);
  await conductor.stop();
  fleet.worker("new", {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  });
  await fleet.until(id, isDone);
});
