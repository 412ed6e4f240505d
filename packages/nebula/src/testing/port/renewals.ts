import assert from "node:assert/strict";
import { LANE, type Lease } from "../../port/port.ts";
import type { Case } from "./case.ts";
import { A, anOffer, aWorker, type Scene, stays, TTL_MS } from "./scene.ts";

const HOUR_MS = 3_600_000;

const ORDERS = { isPaused: false, stop: "" } as const;

/** Another writer of the same number: a server that lost its data gives those again. */
const withAnotherWriter = (lease: Lease): Lease => ({
  ...lease,
  epoch: { ...lease.epoch, writer: "ffffffff" },
});

export const RENEWALS: readonly Case[] = [
  {
    name: "has a lease last its whole time from each renewal",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      for (let passed = 0; passed < 3 * TTL_MS; passed += 600) {
        await scene.kit.pass(600);
        assert.deepEqual(await scene.port.renew(lease), { as: "held", orders: ORDERS });
        assert.equal(await scene.lease(A, aWorker("w2")), undefined);
      }
    },
  },
  {
    name: "renews the lane",
    async run(scene) {
      const lane = await scene.begun();
      assert.deepEqual(await scene.port.renew(lane), { as: "held", orders: ORDERS });
      assert.equal(await scene.port.fence(lane), "ok");
    },
  },
  {
    name: "renews what has expired and nobody has taken, under the same epoch",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await silent(scene, TTL_MS + 600);
      assert.equal((await scene.port.renew(lease)).as, "held");
      assert.equal(await scene.lease(A, aWorker("w2")), undefined);
      assert.equal(await scene.port.fence(lease), "ok");
    },
  },
  {
    name: "does not renew what another one has taken",
    async run(scene) {
      await scene.begun(anOffer(A));
      const old = await scene.take(A);
      await scene.takeOver(A);
      assert.deepEqual(await scene.port.renew(old), { as: "stale" });
    },
  },
  {
    name: "does not renew what was given back",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.port.release(lease);
      assert.deepEqual(await scene.port.renew(lease), { as: "stale" });
      assert.equal(await scene.port.fence(lease), "stale");
    },
  },
  {
    name: "does not renew under the right number of another writer",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      assert.deepEqual(await scene.port.renew(withAnotherWriter(lease)), { as: "stale" });
      assert.equal((await scene.port.renew(lease)).as, "held");
    },
  },
  {
    name: "renews again where the answer of a renewal was lost",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      const first = await scene.port.renew(lease);
      assert.deepEqual(await scene.port.renew(lease), first);
      assert.equal(await scene.port.fence(lease), "ok");
    },
  },
  {
    name: "gives back once, and nothing of another's",
    async run(scene) {
      await scene.begun(anOffer(A));
      const old = await scene.take(A);
      await scene.port.release(old);
      const next = await scene.take(A, aWorker("w2"));
      await scene.port.release(old);
      assert.equal(await scene.port.fence(next), "ok");
      await scene.port.release(withAnotherWriter(next));
      assert.equal(await scene.port.fence(next), "ok");
    },
  },
  {
    name: "gives back the lane once, and nothing of another's",
    async run(scene) {
      const old = await scene.begun();
      await scene.port.release(old);
      const next = await scene.take(LANE, aWorker("w2"));
      await scene.port.release(old);
      assert.equal(await scene.port.fence(next), "ok");
      assert.equal(await scene.kit.second().lease(scene.ask(LANE, aWorker("w3"))), undefined);
    },
  },
  {
    name: "tells who renews what people have asked since",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.port.signal(scene.id, "pause");
      const paused = { isPaused: true, stop: "" };
      assert.deepEqual(await scene.port.renew(lease), { as: "held", orders: paused });
      await scene.port.signal(scene.id, "continue");
      assert.deepEqual(await scene.port.renew(lease), { as: "held", orders: ORDERS });
    },
  },
  {
    name: "has leases outlive a restart, for their whole time from then on",
    needs: "leases-survive",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.kit.restart();
      await scene.kit.pass(TTL_MS / 2 + 200);
      await stays(scene, A, TTL_MS - 900);
      assert.equal(await scene.port.fence(lease), "ok");
      assert.equal(await scene.port.fence(lane), "ok");
      await scene.takeOver(A);
    },
  },
  {
    name: "gives nothing away after a time in which nobody could renew",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.kit.pass(2 * TTL_MS);
      assert.equal(await scene.lease(A, aWorker("w2")), undefined);
      assert.equal((await scene.port.renew(lease)).as, "held");
    },
  },
  {
    name: "ends no lease by a clock that is set forward",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.kit.jump(HOUR_MS);
      assert.equal(await scene.lease(A, aWorker("w2")), undefined);
      assert.equal((await scene.port.renew(lease)).as, "held");
    },
  },
  {
    name: "keeps no lease for longer than its time by a clock that is set back",
    async run(scene) {
      await scene.begun(anOffer(A));
      const old = await scene.take(A);
      await scene.kit.jump(-HOUR_MS);
      const next = await scene.takeOver(A);
      assert.equal(next.epoch.n, old.epoch.n + 1);
    },
  },
  {
    name: "lets the holder pass its fence",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      assert.equal(await scene.port.fence(await scene.take(A)), "ok");
      assert.equal(await scene.port.fence(lane), "ok");
    },
  },
  {
    name: "stops whom another one has taken the work from, at once and for ever",
    async run(scene) {
      await scene.begun(anOffer(A));
      const old = await scene.take(A);
      const next = await scene.takeOver(A);
      assert.equal(await scene.port.fence(old), "stale");
      await scene.port.release(next);
      assert.equal(await scene.port.fence(old), "stale");
      await scene.take(A);
      assert.equal(await scene.port.fence(old), "stale");
    },
  },
  {
    name: "stops another writer of the same number",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      assert.equal(await scene.port.fence(withAnotherWriter(lease)), "stale");
      assert.equal(await scene.port.fence(withAnotherWriter(lane)), "stale");
    },
  },
  {
    name: "stops an epoch at the fence that was over before the fence was asked",
    async run(scene) {
      await scene.begun(anOffer(A));
      for (let turn = 0; turn < 50; turn += 1) {
        const lease = await scene.take(A);
        await scene.port.release(lease);
        const next = await scene.take(A, aWorker("w2"));
        assert.equal(await scene.port.fence(lease), "stale");
        await scene.port.release(next);
      }
    },
  },
  {
    name: "lets a holder pass its fence whose time is over and whose work nobody has taken",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await silent(scene, TTL_MS + 600);
      assert.equal(await scene.port.fence(lease), "ok");
    },
  },
];

/** Time in which others call, and the holder of a phase does not. */
async function silent(scene: Scene, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 300) {
    await scene.lease("p9-00000000", aWorker("w9"));
    await scene.kit.pass(300);
  }
}
