import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lease, NebulaPort } from "@quasar/nebula/port";
import { A, anOffer, aWorker, Scene, TTL_MS } from "@quasar/nebula/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createFleetPort } from "../src/index.ts";
import { createCaller } from "../src/client/caller.ts";
import { aFleet, type Fleet } from "./fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await aFleet();
});

afterAll(() => fleet.close());

/** Calls that each count, so that one that was carried out twice, or never, shows. */
interface Counter {
  readonly scene: Scene;
  /** Counts one, whatever it takes. */
  count(): Promise<void>;
  /** How many were counted. */
  counted(): Promise<number>;
}

/** The version of a board: one more with each signal that was carried out. */
async function aCounter(patienceMs = 30_000): Promise<Counter> {
  const scene = aScene(patienceMs);
  await scene.begin();
  const caller = createCaller({
    ...{ url: new URL(fleet.server.ingress), key: fleet.key, service: "nebula", patienceMs },
  });
  onTestFinished(() => caller.close());
  const version = async () => (await caller.call(scene.id, "events", 0)).version;
  const before = await version();
  return {
    scene,
    count: () => scene.port.signal(scene.id, "pause"),
    counted: async () => (await version()) - before,
  };
}

function aScene(patienceMs?: number): Scene {
  const port = fleet.port(patienceMs);
  return new Scene({
    ...{ port, second: () => port, pass: (ms) => sleep(ms), jump: fleet.jump },
    restart: () => Promise.resolve(),
    prepare: (state) => state,
  });
}

/** Invocations that the server has not ended, by their statuses. */
async function unfinished(): Promise<readonly string[]> {
  const response = await fetch(`${fleet.server.admin}/query`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      query: "select id, status from sys_invocation where status <> 'completed'",
    }),
  });
  const { rows } = (await response.json()) as { rows: readonly { status: string }[] };
  return rows.map(({ status }) => status);
}

/** Counts without a break while something is done. @returns How many counts were acknowledged. */
async function countDuring({ count }: Counter, work: () => Promise<void>): Promise<number> {
  const over = new AbortController();
  let acknowledged = 0;
  const counting = (async () => {
    while (!over.signal.aborted) {
      await count();
      acknowledged += 1;
    }
  })();
  await work();
  over.abort();
  await counting;
  return acknowledged;
}

test.for(["SIGKILL", "SIGTERM", "SIGKILL"] as const)(
  "no acknowledged call is lost or doubled where the server ends by %s and starts again",
  async (signal) => {
    const counter = await aCounter();
    const acknowledged = await countDuring(counter, async () => {
      await sleep(1000);
      await fleet.server.kill(signal);
      await fleet.server.start();
      await sleep(1500);
    });
    expect(acknowledged).toBeGreaterThan(20);
    expect(await counter.counted()).toBe(acknowledged);
  },
);

test("no acknowledged call is lost or doubled where the object's process is killed, again and again", async () => {
  const counter = await aCounter();
  const acknowledged = await countDuring(counter, async () => {
    for (let kill = 0; kill < 5; kill += 1) {
      await sleep(400);
      await fleet.killObject();
      await sleep(300);
      await fleet.startObject();
    }
    await sleep(1000);
  });
  expect(acknowledged).toBeGreaterThan(10);
  expect(await counter.counted()).toBe(acknowledged);
});

test.for(["server first", "object first"] as const)(
  "no acknowledged call is lost or doubled where both are killed, and start: %s",
  async (order) => {
    const counter = await aCounter();
    const acknowledged = await countDuring(counter, async () => {
      await sleep(500);
      await Promise.all([fleet.server.kill("SIGKILL"), fleet.killObject()]);
      const starts = [() => fleet.server.start(), () => fleet.startObject()];
      for (const start of order === "server first" ? starts : starts.toReversed()) {
        await start();
        await sleep(500);
      }
      await sleep(1500);
    });
    expect(acknowledged).toBeGreaterThan(10);
    expect(await counter.counted()).toBe(acknowledged);
  },
);

test("a state, its answers and its leases survive that both are killed", async () => {
  const scene = aScene(30_000);
  const lane = await scene.begun(anOffer(A));
  const lease = await scene.take(A);
  await scene.port.record(lease, { as: "result", key: "outcome", value: "approved" });
  await scene.save(lane, { phases: { b: { status: "running" } } });
  const before = await scene.port.status(scene.id);
  await Promise.all([fleet.server.kill("SIGKILL"), fleet.killObject()]);
  await fleet.startObject();
  await fleet.server.start();
  expect(await scene.port.status(scene.id)).toEqual(before);
  expect(await scene.port.fence(lease)).toBe("ok");
  expect((await scene.port.renew(lane)).as).toBe("held");
});

test.for([5000, 40_000])(
  "%i ms without the object's process block no nebula, and what nobody waits for is done once at most",
  async (downMs) => {
    const counter = await aCounter();
    const other = await aCounter();
    await fleet.killObject();
    const waiting = counter.count().then(
      () => 1,
      (error: { code?: string }) => {
        expect(error.code).toBe("ERR_UNREACHABLE");
        return 0;
      },
    );
    await sleep(downMs);
    await fleet.startObject();
    const backAt = performance.now();
    await other.count();
    await counter.count();
    // The server asks for the object each half second; this machine may be busy.
    expect(performance.now() - backAt).toBeLessThan(5000);
    const acknowledged = 1 + (await waiting);
    // A call whose caller has given up is carried out all the same: once.
    expect(await counter.counted()).toBe(2);
    expect(acknowledged).toBe(downMs < 30_000 ? 2 : 1);
    expect(await other.counted()).toBe(1);
    await expect.poll(async () => (await unfinished()).length, { timeout: 10_000 }).toBe(0);
  },
);

test("a call that waits for a frozen object ends once it continues, and is done once", async () => {
  const counter = await aCounter();
  fleet.signalObject("SIGSTOP");
  const waiting = counter.count();
  await sleep(8000);
  fleet.signalObject("SIGCONT");
  await waiting;
  expect(await counter.counted()).toBe(1);
});

test("a server that is down for longer than a lease gives nothing away, and its holder continues", async () => {
  const scene = aScene(30_000);
  await scene.begun(anOffer(A));
  const lease = await scene.take(A);
  await fleet.server.kill("SIGKILL");
  await sleep(TTL_MS + 1000);
  await fleet.server.start();
  expect(await scene.lease(A, aWorker("w2"))).toBeUndefined();
  expect((await scene.port.renew(lease)).as).toBe("held");
  expect(await scene.port.fence(lease)).toBe("ok");
  const taken = await scene.takeOver(A);
  expect(taken.epoch.n).toBe(lease.epoch.n + 1);
});

test("the largest state is kept over a restart, and blocks nothing", async () => {
  const scene = aScene(30_000);
  const lane = await scene.begun();
  const findings = Array.from({ length: 66 }, () => `"\n${"x".repeat(60 * 1024)}`);
  expect(await scene.save(lane, { phases: { a: { findings } } })).toEqual({ as: "recorded" });
  await fleet.server.kill("SIGKILL");
  await fleet.server.start();
  expect((await scene.state()).phases[0]?.findings).toEqual(findings);
  expect(await scene.port.fence(lane)).toBe("ok");
});

test("a call that no server answers is unreachable, within its patience", async () => {
  const scene = aScene();
  await scene.begin();
  await fleet.server.kill("SIGKILL");
  const port = fleet.port(2000);
  const began = performance.now();
  await expect(port.signal(scene.id, "pause")).rejects.toMatchObject({ code: "ERR_UNREACHABLE" });
  expect(performance.now() - began).toBeLessThan(6000);
  await fleet.server.start();
  expect((await scene.port.status(scene.id)).orders.isPaused).toBe(false);
});

test("who does not have the key reads nothing and changes nothing", async () => {
  const scene = aScene();
  const lane = await scene.begun(anOffer(A));
  const before = await scene.port.status(scene.id);
  const stranger = createFleetPort({
    url: fleet.server.ingress,
    key: randomBytes(32).toString("hex"),
  });
  onTestFinished(() => stranger.close());
  for (const call of callsOf(stranger, scene, lane)) {
    await expect(call()).rejects.toMatchObject({ code: "ERR_DENIED" });
  }
  const forged = await fetch(`${fleet.server.ingress}/nebula/@index/enlist`, {
    ...{ method: "POST", headers: { "content-type": "application/octet-stream" } },
    body: JSON.stringify({ id: "aaaaaaaaaa", name: "forged", version: 9 }),
  });
  expect(forged.ok).toBe(false);
  expect((await scene.port.list()).some(({ name }) => name === "forged")).toBe(false);
  expect(await scene.port.status(scene.id)).toEqual(before);
});

function callsOf(port: NebulaPort, scene: Scene, lane: Lease): readonly (() => Promise<unknown>)[] {
  return [
    () => port.status(scene.id),
    () => port.list(),
    () => port.signal(scene.id, "cancel"),
    () => port.lease(scene.ask(A)),
    () => port.renew(lane),
    () => port.release(lane),
    () => port.fence(lane),
    () => port.record(lane, { as: "note", key: "n", value: 1 }),
    () => port.submit(scene.submission({ depot: "elsewhere" })),
    () => port.wait(scene.id, `outcome/${A}/run`, new AbortController().signal),
  ];
}

test("a server without the object is none of this version", async () => {
  const port = createFleetPort({ url: fleet.server.ingress, key: fleet.key, service: "other" });
  onTestFinished(() => port.close());
  const scene = aScene();
  await expect(port.status(scene.id)).rejects.toMatchObject({ code: "ERR_PROTOCOL" });
});

test("after all of this the server keeps no call that is over, and never had the key", async () => {
  const counter = await aCounter();
  for (let at = 0; at < 5; at += 1) await counter.count();
  await expect.poll(async () => (await unfinished()).length, { timeout: 30_000 }).toBe(0);
  const files = globSync("**/*", { cwd: fleet.server.dir, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const bytes = readFileSync(join(file.parentPath, file.name));
    expect(bytes.includes(fleet.key), file.name).toBe(false);
    expect(bytes.includes(Buffer.from(fleet.key, "hex")), file.name).toBe(false);
  }
});
