import assert from "node:assert/strict";
import { LANE } from "../../port/port.ts";
import type { Case } from "./case.ts";
import {
  A,
  anOffer,
  APPROVE,
  aWorker,
  B,
  DIGEST,
  GATE_OF_A,
  GATED,
  NEVER,
  OUTCOME_OF_A,
  REJECT,
} from "./scene.ts";

/** Larger than any adapter keeps. */
const TOO_LARGE = "x".repeat(4 * 1024 * 1024);

export const RECORDS: readonly Case[] = [
  {
    name: "has, once a state is recorded, that state and its offers",
    async run(scene) {
      const lane = await scene.begun();
      const entry = await scene.entry({
        phases: { a: { status: "running" } },
        offers: [anOffer(B), anOffer(A)],
      });
      assert.deepEqual(await scene.port.record(lane, entry), { as: "recorded" });
      const { state, offers, rev } = await scene.port.status(scene.id);
      assert.deepEqual([state, offers], [entry.state, [anOffer(B), anOffer(A)]]);
      assert.notEqual(rev, entry.onto);
    },
  },
  {
    name: "knows a state that it has",
    async run(scene) {
      const lane = await scene.begun();
      const entry = await scene.entry({ phases: { a: { status: "running" } } });
      await scene.port.record(lane, entry);
      const { rev } = await scene.port.status(scene.id);
      assert.deepEqual(await scene.port.record(lane, entry), { as: "known", value: null });
      assert.equal((await scene.port.status(scene.id)).rev, rev);
    },
  },
  {
    name: "refuses another state that was made from the same one",
    async run(scene) {
      const lane = await scene.begun();
      const first = await scene.entry({ phases: { a: { status: "running" } } });
      const other = await scene.entry({ phases: { b: { status: "running" } } });
      await scene.port.record(lane, first);
      await assert.rejects(scene.port.record(lane, other), { code: "ERR_CONFLICT" });
      assert.equal((await scene.port.status(scene.id)).state, first.state);
    },
  },
  {
    name: "refuses a state that was made from one that never was",
    async run(scene) {
      const lane = await scene.begun();
      const { state } = await scene.port.status(scene.id);
      const entry = await scene.entry({
        phases: { a: { status: "running" } },
        onto: "f".repeat(64),
      });
      await assert.rejects(scene.port.record(lane, entry), { code: "ERR_CONFLICT" });
      assert.equal((await scene.port.status(scene.id)).state, state);
    },
  },
  {
    name: "refuses the state of a conductor that is over",
    async run(scene) {
      const old = await scene.begun();
      const entry = await scene.entry({ phases: { a: { status: "running" } } });
      await scene.port.release(old);
      await scene.take(LANE, aWorker("w2"));
      assert.deepEqual(await scene.port.record(old, entry), { as: "stale" });
      assert.equal((await scene.port.status(scene.id)).rev, entry.onto);
    },
  },
  {
    name: "refuses the state of a frozen conductor whose lane was taken",
    needs: "lane-expires",
    async run(scene) {
      const old = await scene.begun();
      const entry = await scene.entry({ phases: { a: { status: "running" } } });
      await scene.takeOver(LANE);
      assert.deepEqual(await scene.port.record(old, entry), { as: "stale" });
      assert.equal((await scene.port.status(scene.id)).rev, entry.onto);
    },
  },
  {
    name: "refuses a state under the epoch of a phase",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      const entry = await scene.entry({ phases: { a: { status: "running" } } });
      assert.deepEqual(await scene.port.record(lease, entry), { as: "stale" });
      const asLane = { ...lease, work: LANE };
      assert.deepEqual(await scene.port.record(asLane, entry), { as: "stale" });
      assert.equal((await scene.port.status(scene.id)).rev, entry.onto);
    },
  },
  {
    name: "refuses a state that cannot be read again, or is another nebula's",
    async run(scene) {
      const lane = await scene.begun();
      const entry = await scene.entry();
      const other = "a".repeat(10);
      for (const state of ["", entry.state.replaceAll(scene.id, other)]) {
        const refused = scene.port.record(lane, { ...entry, state });
        await assert.rejects(refused, { code: "ERR_USAGE" });
      }
      assert.equal((await scene.port.status(scene.id)).rev, entry.onto);
    },
  },
  {
    name: "keeps a state over a restart",
    async run(scene) {
      const lane = await scene.begun();
      await scene.save(lane, { phases: { a: { status: "running", reason: "é 😀" } } });
      const { rev } = await scene.port.status(scene.id);
      await scene.kit.restart();
      assert.equal((await scene.port.status(scene.id)).rev, rev);
      assert.equal((await scene.state()).phases[0]?.reason, "é 😀");
    },
  },
  {
    name: "has a conductor continue from the state of the one before",
    async run(scene) {
      const old = await scene.begun(anOffer(A));
      await scene.save(old, { phases: { a: { status: "running" } } });
      await scene.port.release(old);
      const next = await scene.take(LANE, aWorker("w2"));
      await scene.save(next, { phases: { b: { status: "running" } } });
      const { phases } = await scene.state();
      assert.deepEqual(
        phases.map(({ status }) => status),
        ["running", "running", "pending"],
      );
    },
  },
  {
    name: "keeps what came of a run until the run is not offered any more",
    async run(scene) {
      const lane = await scene.begun(anOffer(A), anOffer(B));
      const lease = await scene.take(A);
      const value = { as: "approved", tip: "1".repeat(40) };
      const recorded = await scene.port.record(lease, { as: "result", key: "outcome", value });
      assert.deepEqual(recorded, { as: "recorded" });
      await scene.port.release(lease);
      const kept = { work: A, runId: `run-${A}`, key: "outcome", epoch: lease.epoch, value };
      assert.deepEqual((await scene.port.status(scene.id)).results, [kept]);
      await scene.save(lane, { phases: { c: { status: "running" } } });
      assert.deepEqual((await scene.port.status(scene.id)).results, [kept]);
      await scene.save(lane, { offers: [anOffer(B)] });
      assert.deepEqual((await scene.port.status(scene.id)).results, []);
    },
  },
  {
    name: "keeps the first outcome of an epoch",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.port.record(lease, { as: "result", key: "outcome", value: "first" });
      const again = await scene.port.record(lease, {
        as: "result",
        key: "outcome",
        value: "second",
      });
      assert.deepEqual(again, { as: "known", value: "first" });
      const [kept] = (await scene.port.status(scene.id)).results;
      assert.equal(kept?.value, "first");
    },
  },
  {
    name: "refuses the outcome of an epoch that is over",
    async run(scene) {
      await scene.begun(anOffer(A));
      const old = await scene.take(A);
      await scene.takeOver(A);
      const refused = await scene.port.record(old, { as: "result", key: "outcome", value: "late" });
      assert.deepEqual(refused, { as: "stale" });
      assert.deepEqual((await scene.port.status(scene.id)).results, []);
    },
  },
  {
    name: "takes the outcome of a holder that has expired, as long as nobody has taken its work",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.kit.pass(4000);
      const recorded = await scene.port.record(lease, { as: "result", key: "outcome", value: 1 });
      assert.deepEqual(recorded, { as: "recorded" });
    },
  },
  {
    name: "refuses the outcome of a run that is not offered any more",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.save(lane, { offers: [anOffer(A, { runId: "run-2" })] });
      const refused = await scene.port.record(lease, { as: "result", key: "outcome", value: 1 });
      assert.deepEqual(refused, { as: "stale" });
    },
  },
  {
    name: "keeps what each epoch has pinned, the newest alone",
    async run(scene) {
      await scene.begun(anOffer(A));
      const first = await scene.take(A);
      const pin = (lease: typeof first, value: string) =>
        scene.port.record(lease, { as: "result", key: "pin", value });
      assert.deepEqual(await pin(first, "one"), { as: "recorded" });
      const second = await scene.takeOver(A);
      assert.deepEqual(await pin(second, "two"), { as: "recorded" });
      assert.deepEqual(await pin(second, "three"), { as: "known", value: "two" });
      assert.deepEqual(await pin(first, "four"), { as: "stale" });
      const { results } = await scene.port.status(scene.id);
      assert.deepEqual(
        results.map(({ key, value, epoch }) => [key, value, epoch]),
        [["pin", "two", second.epoch]],
      );
    },
  },
  {
    name: "has a note in the inbox once, by its key",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      const note = { as: "note", key: "warning-1", value: { message: "disk" } } as const;
      assert.deepEqual(await scene.port.record(lease, note), { as: "recorded" });
      assert.equal((await scene.port.record(lease, note)).as, "known");
      const [item, ...others] = await scene.inbox();
      assert.deepEqual(others, []);
      assert.deepEqual([item?.id, item?.value], [`note/${A}/warning-1`, { message: "disk" }]);
      await scene.save(lane, { taken: [item?.key ?? ""] });
      assert.equal((await scene.port.record(lease, note)).as, "known");
      assert.deepEqual(await scene.inbox(), []);
    },
  },
  {
    name: "refuses the note of an epoch that is over",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      await scene.port.release(lease);
      const refused = await scene.port.record(lease, { as: "note", key: "n", value: 1 });
      assert.deepEqual([refused, await scene.inbox()], [{ as: "stale" }, []]);
    },
  },
  {
    name: "keeps the notes of a run in their order",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      for (const key of ["z", "a", "m"]) {
        await scene.port.record(lease, { as: "note", key, value: key });
      }
      const values = (await scene.inbox()).map(({ value }) => value);
      assert.deepEqual(values, ["z", "a", "m"]);
    },
  },
  {
    name: "drops from the inbox what a state has taken, and nothing that came meanwhile",
    async run(scene) {
      const lane = await scene.begun(anOffer(B));
      await scene.save(lane, { phases: { a: GATED } });
      const lease = await scene.take(B);
      await scene.port.record(lease, { as: "note", key: "first", value: 1 });
      await scene.port.resolve(scene.id, GATE_OF_A, APPROVE);
      const taken = (await scene.inbox()).map(({ key }) => key);
      assert.equal(taken.length, 2);
      const entry = await scene.entry({
        taken,
        phases: { a: { status: "queued", approved: DIGEST } },
      });
      await scene.port.record(lease, { as: "note", key: "second", value: 2 });
      await scene.kit.pass(5);
      await scene.port.resolve(scene.id, GATE_OF_A, REJECT);
      assert.deepEqual(await scene.port.record(lane, entry), { as: "recorded" });
      const left = (await scene.inbox()).map(({ value }) => value);
      assert.equal(left.length, 2);
      assert.ok(left.some((value) => value === 2));
      assert.ok(left.some((value) => JSON.stringify(value) === JSON.stringify(REJECT)));
    },
  },
  {
    name: "applies what a state has taken in the same step, also where the state is recorded twice",
    async run(scene) {
      const lane = await scene.begun();
      await scene.save(lane, { phases: { a: GATED } });
      await scene.port.resolve(scene.id, GATE_OF_A, APPROVE);
      const taken = (await scene.inbox()).map(({ key }) => key);
      const entry = await scene.entry({
        taken,
        phases: { a: { status: "queued", approved: DIGEST } },
      });
      await scene.port.record(lane, entry);
      assert.deepEqual(await scene.inbox(), []);
      assert.equal((await scene.port.record(lane, entry)).as, "known");
      assert.deepEqual(await scene.inbox(), []);
    },
  },
  {
    name: "does not let a landing begin that has an answer unseen",
    async run(scene) {
      const lane = await scene.begun();
      await scene.save(lane, { phases: { a: { ...GATED, status: "queued", approved: DIGEST } } });
      const entry = await scene.entry({ phases: { a: { status: "landing" } }, closes: GATE_OF_A });
      await scene.port.resolve(scene.id, GATE_OF_A, REJECT);
      assert.deepEqual(await scene.port.record(lane, entry), { as: "news" });
      assert.equal((await scene.port.status(scene.id)).rev, entry.onto);
      assert.equal((await scene.inbox()).length, 1);
    },
  },
  {
    name: "lets a landing begin that has taken all answers, whatever others wait",
    async run(scene) {
      const lane = await scene.begun(anOffer(B));
      await scene.save(lane, { phases: { a: { ...GATED, status: "queued", approved: DIGEST } } });
      await scene.port.record(await scene.take(B), { as: "note", key: "n", value: 1 });
      const recorded = await scene.save(lane, {
        phases: { a: { status: "landing" } },
        closes: GATE_OF_A,
      });
      assert.deepEqual(recorded, { as: "recorded" });
    },
  },
  {
    name: "refuses what is too large, and keeps what it had",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      const { rev } = await scene.port.status(scene.id);
      const parts = Array.from({ length: 70 }, () => "x".repeat(64 * 1024));
      const large = await scene.entry({ phases: { a: { findings: parts } } });
      const tooLarge = { code: "ERR_TOO_LARGE" };
      await assert.rejects(scene.port.record(lane, large), tooLarge);
      for (const entry of [
        { as: "result", key: "outcome", value: TOO_LARGE },
        { as: "note", key: "n", value: TOO_LARGE },
      ] as const) {
        await assert.rejects(scene.port.record(lease, entry), tooLarge);
      }
      const { results, inbox, rev: after } = await scene.port.status(scene.id);
      assert.deepEqual([after, results, inbox], [rev, [], []]);
    },
  },
  {
    name: "keeps a state of some hundred phases",
    async run(scene) {
      const lane = await scene.begun();
      const parts = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(60 * 1024));
      const entry = await scene.entry({ phases: { a: { findings: parts } } });
      assert.deepEqual(await scene.port.record(lane, entry), { as: "recorded" });
      assert.equal((await scene.port.status(scene.id)).state, entry.state);
    },
  },
  {
    name: "gives the outcome of a run to who waits for it",
    async run(scene) {
      await scene.begun(anOffer(A));
      const lease = await scene.take(A);
      const waiting = scene.wait(OUTCOME_OF_A);
      await scene.port.record(lease, { as: "result", key: "pin", value: "no outcome" });
      await scene.port.record(lease, { as: "result", key: "outcome", value: { ok: true } });
      assert.deepEqual(await waiting, { ok: true });
      assert.deepEqual(await scene.wait(OUTCOME_OF_A), { ok: true });
    },
  },
  {
    name: "ends the wait for the outcome of a run that is not offered any more",
    async run(scene) {
      const lane = await scene.begun(anOffer(A));
      const waiting = scene.wait(OUTCOME_OF_A);
      await scene.save(lane, { offers: [] });
      assert.equal(await waiting, undefined);
      assert.equal(await scene.port.wait(scene.id, "outcome/p1-none/run", NEVER), undefined);
    },
  },
];
