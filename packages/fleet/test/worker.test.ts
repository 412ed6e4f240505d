import { setTimeout as sleep } from "node:timers/promises";
import { LANE, type NebulaPort, PortError } from "@quasar/nebula/port";
import { expect, test } from "vitest";
// @boundaries-ignore one place for the tests of nebulae on one machine and on several
import { agentsOf, aPlace, MANIFEST, phase, type Work, write } from "../../nebula/test/place.ts";
import { aFleet, isDone } from "./a-fleet.ts";

const ONE = { "nebula.toml": MANIFEST, "a.md": phase("a") };
const WORK: Work = { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) };

test("what a worker does not understand it gives back, for others", async () => {
  const fleet = await aFleet(aPlace({ "base.txt": "base\n" }, ONE));
  const { id } = await fleet.submit();
  let given = 0;
  const port: NebulaPort = {
    ...fleet.port,
    async lease(ask) {
      const lease = await fleet.port.lease(ask);
      if (lease === undefined || ask.work === LANE) return lease;
      given += 1;
      const offer = lease.offer && { ...lease.offer, task: { of: "a later version" } };
      return { ...lease, offer };
    },
  };
  fleet.worker("old", WORK, { port });
  await expect.poll(() => given, { timeout: 30_000 }).toBe(1);
  fleet.worker("new", WORK);
  await fleet.until(id, isDone);
  expect(given).toBe(1);
  expect(fleet.told).toContainEqual(expect.objectContaining({ type: "warning", nebula: id }));
});

test("a worker that was cut off takes nothing of its own anew before it knows whose that is", {
  timeout: 60_000,
}, async () => {
  const fleet = await aFleet(aPlace({ "base.txt": "base\n" }, ONE));
  const { id } = await fleet.submit();
  let isCut = false;
  let renewsAt = 0;
  const port = new Proxy(fleet.port, {
    get(target, name: keyof NebulaPort) {
      const call = target[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        const isAway = isCut || (name === "renew" && performance.now() < renewsAt);
        if (isAway) return Promise.reject(new PortError("ERR_UNREACHABLE", "cut"));
        return call.apply(target, args);
      };
    },
  });
  const turns: string[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const work: Work = {
    "Phase a": async (tree) => {
      turns.push("a");
      await mayEnd.promise;
      write(tree, { "a.txt": "a\n" });
    },
  };
  fleet.worker("one", work, { port, graceMs: 30_000 });
  await expect.poll(() => turns.length, { timeout: 20_000 }).toBe(1);
  isCut = true;
  // It has the server's clock run, and no room for a phase.
  fleet.worker("two", {}, { most: 0 });
  await sleep(5000);
  renewsAt = performance.now() + 3000;
  isCut = false;
  await sleep(4000);
  mayEnd.resolve();
  await fleet.until(id, isDone);
  expect(turns).toEqual(["a"]);
  const taken = fleet.told.filter((event) => event.type === "takes" && event.phase === "a");
  expect(taken).toHaveLength(1);
});

test("who schedules phases needs no agents of theirs, and who lacks one leaves its phase to others", async () => {
  const files = { ...ONE, "b.md": phase("b") };
  const fleet = await aFleet(aPlace({ "base.txt": "base\n" }, files));
  const { id } = await fleet.submit();
  const of = (machine: string): Work =>
    Object.fromEntries(
      ["a", "b"].map((name) => [
        `Phase ${name}`,
        (tree: string) => write(tree, { [`${name}.txt`]: `${machine}\n` }),
      ]),
    );
  const plansBy = agentsOf(of("one"));
  const optionsOf: typeof plansBy = (given) => {
    if (given.title !== "Phase b") return plansBy(given);
    throw Object.assign(new Error("there is no program codex"), { code: "ERR_NOT_INSTALLED" });
  };
  fleet.worker("one", {}, { optionsOf, plansBy });
  await fleet.until(id, ({ phases }) => phases[0]?.status === "done");
  fleet.worker("two", of("two"));
  await fleet.until(id, isDone);
  expect(fleet.inDepot("show", "nebula/demo:b.txt")).toBe("two");
});
