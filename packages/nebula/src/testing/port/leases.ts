import assert from "node:assert/strict";
import { type Epoch, LANE } from "../../port/port.ts";
import type { Case } from "./case.ts";
import { A, anOffer, aWorker, B, C, stays, TTL_MS } from "./scene.ts";

const RACES = 1000;

export const LEASES: readonly Case[] = [
  {
    name: "gives a free work, with a number and a writer, and its offer",
    async run(scene) {
      await scene.begun(anOffer(A, { task: { attempt: 2 } }));
      const lease = await scene.take(A);
      assert.match(lease.epoch.writer, /^[0-9a-f]{8}$/u);
      assert.ok(lease.epoch.n >= 1);
      assert.deepEqual([lease.nebula, lease.work, lease.ttlMs], [scene.id, A, TTL_MS]);
      assert.deepEqual(lease.offer, anOffer(A, { task: { attempt: 2 } }));
      assert.deepEqual(lease.from, []);
    },
  },
  {
    name: "does not give what is held",
    async run(scene) {
      await scene.begun(anOffer(A));
      await scene.take(A);
      assert.equal(await scene.lease(A, aWorker("w2")), undefined);
      assert.equal(await scene.lease(LANE, aWorker("w2")), undefined);
    },
  },
  {
    name: "does not give the lane to another process while it is held",
    async run(scene) {
      await scene.begun();
      const second = scene.kit.second();
      assert.equal(await second.lease(scene.ask(LANE, aWorker("w2"))), undefined);
    },
  },
  {
    name: "gives one of two who ask at once",
    async run(scene) {
      await scene.begun(anOffer(A));
      const both = ["w1", "w2"].map((id) => scene.lease(A, aWorker(id)));
      const given = (await Promise.all(both)).filter((each) => each !== undefined);
      assert.equal(given.length, 1);
    },
  },
  {
    name: `gives one of two in each of ${RACES} races, and no epoch twice`,
    async run(scene) {
      await scene.begun(anOffer(A));
      const epochs = new Set<string>();
      for (let race = 0; race < RACES; race += 1) {
        const both = ["w1", "w2"].map((id) => scene.lease(A, aWorker(id)));
        const [won, too] = (await Promise.all(both)).filter((each) => each !== undefined);
        assert.ok(won !== undefined && too === undefined, `one winner in race ${race}`);
        epochs.add(`${won.epoch.n}.${won.epoch.writer}`);
        await scene.port.release(won);
      }
      assert.equal(epochs.size, RACES);
    },
  },
  {
    name: "answers the same question with the same lease",
    async run(scene) {
      await scene.begun(anOffer(A), anOffer(B));
      for (const work of ["any", B]) {
        const ask = scene.ask(work, aWorker(`w-${work}`));
        const first = await scene.port.lease(ask);
        assert.deepEqual(await scene.port.lease(ask), first);
      }
    },
  },
  {
    name: "answers the same question about the lane with the same lease",
    async run(scene) {
      await scene.begin();
      const ask = scene.ask(LANE);
      const first = await scene.port.lease(ask);
      assert.ok(first);
      assert.deepEqual(await scene.port.lease(ask), first);
    },
  },
  {
    name: "answers the same question with nothing once its lease is over",
    async run(scene) {
      await scene.begun(anOffer(A));
      const ask = scene.ask(A);
      const lease = await scene.port.lease(ask);
      assert.ok(lease);
      await scene.port.release(lease);
      assert.equal(await scene.port.lease(ask), undefined);
      await scene.take(A, aWorker("w2"));
    },
  },
  {
    name: "does not give what the same worker holds by another question",
    async run(scene) {
      await scene.begun(anOffer(A));
      await scene.take(A);
      assert.equal(await scene.lease(A), undefined);
      assert.equal(await scene.lease("any"), undefined);
    },
  },
  {
    name: "gives what was given back, under another epoch",
    async run(scene) {
      await scene.begun(anOffer(A));
      const first = await scene.take(A);
      await scene.port.release(first);
      const second = await scene.take(A, aWorker("w2"));
      assert.ok(second.epoch.n > first.epoch.n);
      assert.notEqual(second.epoch.writer, first.epoch.writer);
    },
  },
  {
    name: "gives the lane that was given back, under another epoch",
    async run(scene) {
      const first = await scene.begun();
      await scene.port.release(first);
      const second = await scene.take(LANE, aWorker("w2"));
      assert.ok(second.epoch.n > first.epoch.n);
      assert.notEqual(second.epoch.writer, first.epoch.writer);
      assert.equal(await scene.port.fence(first), "stale");
    },
  },
  {
    name: "gives a work whose holder is silent for its whole time",
    async run(scene) {
      await scene.begun(anOffer(A));
      const first = await scene.take(A);
      const second = await scene.takeOver(A);
      assert.equal(second.epoch.n, first.epoch.n + 1);
    },
  },
  {
    name: "gives the lane whose holder is silent for its whole time",
    needs: "lane-expires",
    async run(scene) {
      const first = await scene.begun();
      const second = await scene.takeOver(LANE);
      assert.equal(second.epoch.n, first.epoch.n + 1);
      assert.equal(await scene.port.fence(first), "stale");
    },
  },
  {
    name: "does not give a work before its holder's time is over",
    async run(scene) {
      await scene.begun(anOffer(A));
      await scene.take(A);
      await stays(scene, A, TTL_MS - 600);
    },
  },
  {
    name: "gives no epoch of a work twice, restarts included",
    async run(scene) {
      await scene.begun(anOffer(A));
      const epochs = new Set<string>();
      const turns = 3;
      for (let turn = 0; turn < turns; turn += 1) {
        const lane = await scene.lease(LANE, aWorker(`conductor-${turn}`));
        if (lane !== undefined) await scene.save(lane, { offers: [anOffer(A)] });
        const lease = await scene.takeOver(A, aWorker(`w-${turn}`));
        epochs.add(`${lease.epoch.n}.${lease.epoch.writer}`);
        await scene.kit.restart();
      }
      assert.equal(epochs.size, turns);
    },
  },
  {
    name: "gives the lane beside phases, and phases beside each other",
    async run(scene) {
      await scene.begun(anOffer(A), anOffer(B));
      const leases = [await scene.take(A), await scene.take(B)];
      assert.deepEqual(
        leases.map(({ work }) => work),
        [A, B],
      );
      const { holders } = await scene.port.status(scene.id);
      assert.deepEqual(holders.map(({ work }) => work).toSorted(), [LANE, A, B].toSorted());
      assert.equal(holders.find(({ work }) => work === A)?.machine, "machine of w1");
    },
  },
  {
    name: "refuses a lease of a nebula that is not there",
    async run(scene) {
      await assert.rejects(scene.lease(LANE), { code: "ERR_NOT_FOUND" });
    },
  },
  {
    name: "refuses what is no question",
    async run(scene) {
      await scene.begin();
      const wrong = [
        { ttlMs: 0 },
        { ttlMs: Number.NaN },
        { ttlMs: 1e12 },
        { ask: "" },
        { work: "" },
      ];
      for (const change of wrong) {
        await assert.rejects(scene.lease(LANE, undefined, change), { code: "ERR_USAGE" });
      }
    },
  },
  {
    name: "does not give a work that nobody offers",
    async run(scene) {
      await scene.begun(anOffer(A));
      assert.equal(await scene.lease(B), undefined);
      assert.equal(await scene.lease("__proto__"), undefined);
    },
  },
  {
    name: "gives, of any, the first offer in the conductor's order",
    async run(scene) {
      await scene.begun(anOffer(C), anOffer(A), anOffer(B));
      assert.equal((await scene.take("any")).work, C);
      assert.equal((await scene.take("any")).work, A);
      assert.equal((await scene.take("any", aWorker("w2"))).work, B);
      assert.equal(await scene.lease("any"), undefined);
    },
  },
  {
    name: "passes over offers whose labels a worker lacks",
    async run(scene) {
      await scene.begun(
        anOffer(A, { labels: ["linux", "gpu"] }),
        anOffer(B, { labels: ["linux"] }),
      );
      assert.equal((await scene.take("any")).work, B);
      const labels = ["gpu", "linux", "big"];
      assert.equal((await scene.take("any", aWorker("w2", { labels }))).work, A);
    },
  },
  {
    name: "passes over offers whose agents a worker lacks, also where they are named",
    async run(scene) {
      await scene.begun(anOffer(A, { agents: ["codex", "claude"] }), anOffer(B));
      assert.equal((await scene.take("any")).work, B);
      assert.equal(await scene.lease(A), undefined);
    },
  },
  {
    name: "does not give a run back before it is to be taken",
    async run(scene) {
      await scene.begun(anOffer(A));
      await scene.port.release(await scene.take(A), { waitMs: 1500 });
      assert.equal(await scene.lease("any", aWorker("w2")), undefined);
      assert.equal(await scene.lease(A), undefined);
      await scene.kit.pass(1600);
      await scene.take("any", aWorker("w2"));
    },
  },
  {
    name: "does not give a run again to the worker that cannot do it",
    async run(scene) {
      await scene.begun(anOffer(A));
      await scene.port.release(await scene.take(A), { isUnfit: true });
      assert.equal(await scene.lease("any"), undefined);
      await scene.port.release(await scene.take("any", aWorker("w2")), { isUnfit: true });
      assert.equal(await scene.lease("any"), undefined);
      await scene.take("any", aWorker("w3"));
    },
  },
  {
    name: "gives a worker the next run of a work that it could not do",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      await scene.port.release(await scene.take(A), { isUnfit: true, waitMs: 60_000 });
      await scene.save(lane, { offers: [anOffer(A, { runId: "run-2" })] });
      const { offer, from } = await scene.take(A);
      assert.deepEqual([offer?.runId, from], ["run-2", []]);
    },
  },
  {
    name: "gives nothing of a paused nebula but the lane",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      await scene.port.signal(scene.id, "pause");
      assert.equal(await scene.lease("any"), undefined);
      await scene.port.release(lane);
      await scene.take(LANE);
      await scene.port.signal(scene.id, "continue");
      await scene.take("any");
    },
  },
  {
    name: "gives nothing of a stopped nebula until it continues",
    async run(scene) {
      await scene.begun(anOffer(A));
      await scene.port.signal(scene.id, "stop");
      assert.equal(await scene.lease("any"), undefined);
      assert.equal(await scene.lease(A), undefined);
      await scene.port.signal(scene.id, "continue");
      await scene.take("any");
    },
  },
  {
    name: "does not give a run that has its outcome",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.port.record(lease, { as: "result", key: "outcome", value: "approved" });
      await scene.port.release(lease);
      assert.equal(await scene.lease(A, aWorker("w2")), undefined);
    },
  },
  {
    name: "names the epochs of the same run before, newest first",
    async run(scene) {
      await scene.begun(anOffer(A));
      const before: Epoch[] = [];
      for (const id of ["w1", "w2", "w3"]) {
        const lease = await scene.take(A, aWorker(id));
        assert.deepEqual(lease.from, before);
        before.unshift(lease.epoch);
        await scene.port.release(lease);
      }
    },
  },
  {
    name: "takes a work from the holder of a run that is not offered any more",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const old = await scene.take(A);
      await scene.save(lane, { offers: [] });
      assert.equal(await scene.port.fence(old), "stale");
      assert.deepEqual(await scene.port.renew(old), { as: "stale" });
      await scene.save(lane, { offers: [anOffer(A, { runId: "run-2" })] });
      const next = await scene.take(A, aWorker("w2"));
      assert.ok(next.epoch.n > old.epoch.n);
      assert.equal(await scene.port.fence(old), "stale");
    },
  },
];
