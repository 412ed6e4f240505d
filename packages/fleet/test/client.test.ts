import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { outcomeId } from "@quasar/nebula/port";
import { A, anOffer, Scene } from "@quasar/nebula/testing";
import { expect, onTestFinished, test } from "vitest";
import { createCaller } from "../src/client/caller.ts";
import { createFleetPort, type FleetPort } from "../src/index.ts";
import { type MemoryIngress, memoryIngress } from "./memory-ingress.ts";

const KEY = randomBytes(32).toString("hex");

interface Set {
  readonly ingress: MemoryIngress;
  readonly port: FleetPort;
  readonly scene: Scene;
}

async function aSet(patienceMs?: number): Promise<Set> {
  const ingress = await memoryIngress("nebula", KEY);
  const port = createFleetPort({ url: ingress.url, key: KEY, patienceMs });
  onTestFinished(async () => {
    port.close();
    await ingress.close();
  });
  const nothing = () => Promise.resolve();
  const scene = new Scene({
    ...{ port, second: () => port, pass: nothing, jump: nothing, restart: nothing },
    prepare: (state) => state,
  });
  await scene.begin();
  return { ingress, port, scene };
}

test("a call whose answer is lost is made again, and carried out once", async () => {
  const { ingress, port, scene } = await aSet();
  ingress.loseAnswers(3);
  await port.signal(scene.id, "pause");
  expect(ingress.counts.get("signal")).toBe(1);
  ingress.loseAnswers(3);
  expect((await port.status(scene.id)).orders.isPaused).toBe(true);
});

test.for([408, 429, 500, 502, 503, 504])(
  "a call that the server answers %i is made again",
  async (status) => {
    const { ingress, port, scene } = await aSet();
    ingress.refuse(2, status);
    await port.signal(scene.id, "pause");
    expect(ingress.counts.get("signal")).toBe(1);
  },
);

test.for([
  [401, "ERR_DENIED"],
  [403, "ERR_DENIED"],
  [404, "ERR_PROTOCOL"],
  [400, "ERR_PROTOCOL"],
  [422, "ERR_PROTOCOL"],
  [302, "ERR_PROTOCOL"],
] as const)("a call that the server answers %i is refused at once: %s", async ([status, code]) => {
  const { ingress, port, scene } = await aSet();
  ingress.refuse(1, status);
  await expect(port.signal(scene.id, "pause")).rejects.toMatchObject({ code });
  expect(ingress.counts.get("signal")).toBeUndefined();
});

test("the server takes no answer that is none from any client", async () => {
  const { ingress, scene } = await aSet();
  const url = new URL(ingress.url);
  const caller = createCaller({ url, key: KEY, service: "nebula", patienceMs: 1000 });
  onTestFinished(() => caller.close());
  const body = { id: `gate/${A}/1/`, reply: { verb: "burn" } } as const;
  const refused = { code: "ERR_USAGE", message: expect.stringContaining("gate/") };
  await expect(caller.call(scene.id, "resolve", body)).rejects.toMatchObject(refused);
});

test("a call without an answer is unreachable after its patience", async () => {
  const { ingress, port, scene } = await aSet(300);
  ingress.refuse(1000, 503);
  const refused = port.signal(scene.id, "pause");
  await expect(refused).rejects.toMatchObject({
    code: "ERR_UNREACHABLE",
    message: expect.stringContaining("503"),
  });
});

const OUTCOME_OF_A = outcomeId(A, `run-${A}`);

test("what is waited for comes, however long there was no answer meanwhile", async () => {
  const patienceMs = 300;
  const { ingress, port, scene } = await aSet(patienceMs);
  await scene.conduct(anOffer(A));
  const lease = await scene.take(A);
  const waiting = scene.wait(OUTCOME_OF_A);
  await sleep(2 * patienceMs);
  ingress.cut();
  await sleep(2 * patienceMs);
  ingress.refuse(Number.POSITIVE_INFINITY, 503);
  ingress.cut();
  await sleep(3 * patienceMs);
  ingress.refuse(0, 503);
  await port.record(lease, { as: "result", key: "outcome", value: "done" });
  expect(await waiting).toBe("done");
});

test("a wait that has no answer ends with its signal", async () => {
  const { ingress, scene } = await aSet(100);
  const over = new AbortController();
  ingress.refuse(Number.POSITIVE_INFINITY, 503);
  const waiting = scene.wait(OUTCOME_OF_A, over.signal);
  await sleep(500);
  over.abort(new Error("over"));
  await expect(waiting).rejects.toThrow("over");
});

test("a port that is closed makes no call again", async () => {
  const { ingress, port, scene } = await aSet(20_000);
  ingress.refuse(1000, 503);
  const refused = port.signal(scene.id, "pause");
  refused.catch(() => {});
  const begun = performance.now();
  port.close();
  await expect(refused).rejects.toMatchObject({ code: "ERR_UNREACHABLE" });
  expect(performance.now() - begun).toBeLessThan(10_000);
});

const flipped = (at: number) => (body: Buffer) => {
  const other = Buffer.from(body);
  const from = at < 0 ? other.length + at : at;
  other[from] = (other[from] ?? 0) ^ 1;
  return other;
};

test.for([
  ["with another code", flipped(0)],
  ["whose text was changed", flipped(-2)],
  ["that is empty", () => Buffer.from("")],
  ["of a page of somebody's", () => Buffer.from("<html>\nhello")],
] as const)("an answer %s is none of the fleet's", async ([, forge]) => {
  const { ingress, port, scene } = await aSet();
  ingress.forge = forge;
  await expect(port.status(scene.id)).rejects.toMatchObject({ code: "ERR_DENIED" });
});

test("an answer to another call does not count", async () => {
  const { ingress, port, scene } = await aSet();
  let first: Buffer | undefined;
  ingress.forge = (body) => (first ??= body);
  await port.status(scene.id);
  await expect(port.status(scene.id)).rejects.toMatchObject({ code: "ERR_DENIED" });
});

test("another key is refused, and carries out nothing", async () => {
  const { ingress, scene } = await aSet();
  const other = createFleetPort({ url: ingress.url, key: "0".repeat(64) });
  onTestFinished(() => other.close());
  await expect(other.signal(scene.id, "pause")).rejects.toMatchObject({ code: "ERR_DENIED" });
  expect((await scene.port.status(scene.id)).orders.isPaused).toBe(false);
});

test("what would make a nebula too large in all is refused, and the nebula works on", async () => {
  const { port, scene } = await aSet();
  await scene.conduct(anOffer(A));
  const lease = await scene.take(A);
  const value = "x".repeat(250 * 1024);
  const recorded: string[] = [];
  const fill = async (): Promise<void> => {
    for (let at = 0; at < 100; at += 1) {
      recorded.push((await port.record(lease, { as: "note", key: `${at}`, value })).as);
    }
  };
  await expect(fill()).rejects.toMatchObject({ code: "ERR_TOO_LARGE" });
  expect(recorded.length).toBeGreaterThan(20);
  expect((await port.status(scene.id)).inbox).toHaveLength(recorded.length);
  expect(await port.fence(lease)).toBe("ok");
});

test.for(["", "ftp://host", "host:8080", "no url"])("%j is no URL of a server", (url) => {
  expect(() => createFleetPort({ url, key: KEY })).toThrow(
    expect.objectContaining({ code: "ERR_USAGE" }),
  );
});
