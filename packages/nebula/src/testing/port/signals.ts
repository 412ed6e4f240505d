import assert from "node:assert/strict";
import { LANE, type Change } from "../../port/port.ts";
import type { NebulaEvent } from "../../events.ts";
import type { Case } from "./case.ts";
import { A, anOffer, aWorker, type Scene } from "./scene.ts";

const warning = (message: string): NebulaEvent => ({ type: "warning", message });

export const SIGNALS: readonly Case[] = [
  {
    name: "pauses and continues",
    async run(scene) {
      await scene.begun();
      await scene.port.signal(scene.id, "pause");
      assert.deepEqual(await orders(scene), { isPaused: true, stop: "" });
      await scene.port.signal(scene.id, "continue");
      assert.deepEqual(await orders(scene), { isPaused: false, stop: "" });
    },
  },
  {
    name: "takes two pauses for one",
    async run(scene) {
      await scene.begun();
      await scene.port.signal(scene.id, "pause");
      await scene.kit.second().signal(scene.id, "pause");
      await scene.port.signal(scene.id, "continue");
      assert.equal((await orders(scene)).isPaused, false);
    },
  },
  {
    name: "keeps a pause over a restart",
    async run(scene) {
      await scene.begun();
      await scene.port.signal(scene.id, "pause");
      await scene.kit.restart();
      assert.equal((await orders(scene)).isPaused, true);
    },
  },
  {
    name: "has a stop reach all holders by their next renewals",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.kit.second().signal(scene.id, "stop");
      const held = { as: "held", orders: { isPaused: false, stop: "after-turns" } };
      assert.deepEqual(await scene.port.renew(lane), held);
      assert.deepEqual(await scene.port.renew(lease), held);
    },
  },
  {
    name: "has a cancel reach all holders, also after a stop, and no stop weaken it",
    async run(scene) {
      const lane = await scene.begun();
      for (const what of ["stop", "cancel", "stop"] as const) {
        await scene.port.signal(scene.id, what);
      }
      const now = { as: "held", orders: { isPaused: false, stop: "now" } };
      assert.deepEqual(await scene.port.renew(lane), now);
    },
  },
  {
    name: "frees nothing that is held by a cancel",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.port.signal(scene.id, "cancel");
      assert.equal(await scene.lease(A, aWorker("w2")), undefined);
      assert.equal(await scene.port.fence(lease), "ok");
      assert.equal(await scene.port.fence(lane), "ok");
      const recorded = await scene.port.record(lease, { as: "result", key: "outcome", value: 1 });
      assert.deepEqual(recorded, { as: "recorded" });
      assert.deepEqual(await scene.save(lane), { as: "recorded" });
    },
  },
  {
    name: "refuses to signal, watch or answer a nebula that is not there",
    async run(scene) {
      const notFound = { code: "ERR_NOT_FOUND" };
      await assert.rejects(scene.port.signal(scene.id, "pause"), notFound);
      await assert.rejects(scene.port.status(scene.id), notFound);
      await assert.rejects(scene.wait(`outcome/${A}/run`), notFound);
      await assert.rejects(
        scene.port.watch(scene.id, 0, new AbortController().signal).next(),
        notFound,
      );
      const held = { nebula: scene.id, work: LANE, epoch: { n: 1, writer: "00000000" } };
      await assert.rejects(scene.port.renew(held), notFound);
      await assert.rejects(scene.port.fence(held), notFound);
      await assert.rejects(scene.port.record(held, { as: "note", key: "n", value: 1 }), notFound);
    },
  },
  {
    name: "reports events to those who watch, in order, each once",
    async run(scene) {
      const lane = await scene.begun();
      const watching = collect(scene, 0, 4);
      for (const name of ["one", "two"]) await scene.save(lane, { events: [warning(name)] });
      await scene.save(lane, { events: [warning("three"), warning("four")] });
      assert.deepEqual(messages(await watching), ["one", "two", "three", "four"]);
    },
  },
  {
    name: "reports what happened before one watches",
    async run(scene) {
      const lane = await scene.begun();
      await scene.save(lane, { events: [warning("one"), warning("two"), warning("three")] });
      assert.deepEqual(messages(await collect(scene, 0, 3)), ["one", "two", "three"]);
      const rest = await collect(scene, 2, 1);
      assert.deepEqual(messages(rest), ["three"]);
      assert.deepEqual([rest.at(-1)?.to, rest[0]?.isGap], [3, false]);
    },
  },
  {
    name: "reports an event once where its state is recorded twice",
    async run(scene) {
      const lane = await scene.begun();
      const entry = await scene.entry({ events: [warning("one")] });
      await scene.port.record(lane, entry);
      await scene.port.record(lane, entry);
      await scene.save(lane, { events: [warning("two")] });
      assert.deepEqual(messages(await collect(scene, 0, 2)), ["one", "two"]);
    },
  },
  {
    name: "reports events that come after a restart to who watched before",
    async run(scene) {
      const lane = await scene.begun();
      await scene.save(lane, { events: [warning("one")] });
      const [change] = await collect(scene, 0, 1);
      await scene.kit.restart();
      const next = (await scene.lease(LANE, aWorker("next"))) ?? lane;
      await scene.save(next, { events: [warning("two")] });
      assert.deepEqual(messages(await collect(scene, change?.to ?? 0, 1)), ["two"]);
    },
  },
  {
    name: "ends to report by the watcher's signal",
    async run(scene) {
      await scene.begun();
      const controller = new AbortController();
      const next = scene.port.watch(scene.id, 0, controller.signal).next();
      setTimeout(() => controller.abort(), 50);
      assert.deepEqual(await next, { done: true, value: undefined });
    },
  },
  {
    name: "lets everything else be done while somebody watches and waits",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const controller = new AbortController();
      const watching = Array.from({ length: 10 }, () =>
        scene.port.watch(scene.id, 0, controller.signal).next(),
      );
      const waiting = scene.wait(`outcome/${A}/run-${A}`, controller.signal).catch(() => "ended");
      const lease = await scene.take(A);
      assert.equal(await scene.port.fence(lease), "ok");
      await scene.save(lane, { events: [warning("one")] });
      for (const each of watching) {
        const { value } = await each;
        assert.deepEqual(messages(value === undefined ? [] : [value]), ["one"]);
      }
      controller.abort();
      assert.equal(await waiting, "ended");
    },
  },
];

async function orders(scene: Scene) {
  return (await scene.port.status(scene.id)).orders;
}

/** What is reported until there are so many events. */
async function collect(scene: Scene, from: number, count: number): Promise<readonly Change[]> {
  const controller = new AbortController();
  const changes: Change[] = [];
  for await (const change of scene.port.watch(scene.id, from, controller.signal)) {
    changes.push(change);
    if (changes.flatMap(({ events }) => events).length >= count) controller.abort();
  }
  return changes;
}

function messages(changes: readonly Change[]): readonly string[] {
  return changes
    .flatMap(({ events }) => events)
    .map((event) => (event.type === "warning" ? event.message : event.type));
}
