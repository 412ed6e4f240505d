import assert from "node:assert/strict";
import { gateId } from "../../port/promises.ts";
import { LANE, type PromiseId, type Reply } from "../../port/port.ts";
import type { Case } from "./case.ts";
import {
  A,
  APPROVE,
  ASKING,
  aWorker,
  DIGEST,
  GATE_OF_A,
  GATED,
  QUESTION_OF_A,
  REJECT,
  type Scene,
} from "./scene.ts";

const ANSWER = { text: "the second one", agent: "" } as const;

export const PROMISES: readonly Case[] = [
  {
    name: "keeps an answer until somebody waits for it",
    async run(scene) {
      await gated(scene);
      assert.deepEqual(await scene.port.resolve(scene.id, GATE_OF_A, APPROVE), { as: "resolved" });
      assert.deepEqual(await scene.wait(GATE_OF_A), APPROVE);
      assert.deepEqual(
        (await scene.inbox()).map(({ id, value }) => [id, value]),
        [[GATE_OF_A, APPROVE]],
      );
    },
  },
  {
    name: "gives an answer to who waits already",
    async run(scene) {
      await gated(scene);
      const waiting = scene.wait(GATE_OF_A);
      await scene.kit.second().resolve(scene.id, GATE_OF_A, REJECT);
      assert.deepEqual(await waiting, REJECT);
    },
  },
  {
    name: "answers a question",
    async run(scene) {
      await asking(scene);
      const waiting = scene.wait(QUESTION_OF_A);
      const said = { text: "yes", agent: "helper" };
      assert.equal((await scene.port.resolve(scene.id, QUESTION_OF_A, said)).as, "resolved");
      assert.deepEqual(await waiting, said);
    },
  },
  {
    name: "keeps the first of two answers to a question, and says which",
    async run(scene) {
      await asking(scene);
      await scene.port.resolve(scene.id, QUESTION_OF_A, ANSWER);
      const other = await scene.kit.second().resolve(scene.id, QUESTION_OF_A, {
        text: "the first one",
        agent: "",
      });
      assert.deepEqual(other, { as: "already", value: ANSWER });
      assert.deepEqual(await scene.wait(QUESTION_OF_A), ANSWER);
    },
  },
  {
    name: "keeps one of two answers to a question that come at once",
    async run(scene) {
      await asking(scene);
      const both = ["one", "two"].map((text) =>
        scene.port.resolve(scene.id, QUESTION_OF_A, { text, agent: "" }),
      );
      const said = (await Promise.all(both)).map(({ as }) => as);
      assert.deepEqual(said.toSorted(), ["already", "resolved"]);
    },
  },
  {
    name: "takes the same answer twice for one",
    async run(scene) {
      const lane = await gated(scene);
      await scene.save(lane, { phases: { b: ASKING } });
      for (const [id, reply] of [
        [GATE_OF_A, APPROVE],
        [QUESTION_OF_A, ANSWER],
      ] as const) {
        assert.deepEqual(await scene.port.resolve(scene.id, id, reply), { as: "resolved" });
        assert.deepEqual(await scene.port.resolve(scene.id, id, reply), { as: "resolved" });
      }
      assert.equal((await scene.inbox()).length, 2);
    },
  },
  {
    name: "counts the last of several decisions that nobody has taken",
    async run(scene) {
      await gated(scene);
      await scene.port.resolve(scene.id, GATE_OF_A, APPROVE);
      await scene.kit.pass(5);
      await scene.port.resolve(scene.id, GATE_OF_A, REJECT);
      assert.deepEqual(await scene.wait(GATE_OF_A), REJECT);
      assert.deepEqual(
        (await scene.inbox()).map(({ value }) => value),
        [REJECT],
      );
    },
  },
  {
    name: "takes no decision once the landing has begun, and one again where it did not land",
    async run(scene) {
      const lane = await gated(scene);
      const queued = { status: "queued", approved: DIGEST } as const;
      await scene.save(lane, { phases: { a: queued }, closes: GATE_OF_A });
      assert.deepEqual(await scene.port.resolve(scene.id, GATE_OF_A, REJECT), { as: "closed" });
      assert.deepEqual(await scene.inbox(), []);
      await scene.save(lane, { phases: { a: { onto: "2".repeat(40) } } });
      assert.deepEqual(await scene.port.resolve(scene.id, GATE_OF_A, REJECT), { as: "resolved" });
    },
  },
  {
    name: "takes no decision about what has landed",
    async run(scene) {
      const lane = await gated(scene);
      await scene.save(lane, { phases: { a: { status: "done", landing: 1 } } });
      assert.deepEqual(await scene.port.resolve(scene.id, GATE_OF_A, REJECT), { as: "closed" });
      assert.deepEqual(await scene.inbox(), []);
    },
  },
  {
    name: "takes no decision about another attempt or another change",
    async run(scene) {
      await gated(scene);
      const others = [
        gateId({ ref: A, attempt: 2, digest: DIGEST }),
        gateId({ ref: A, attempt: 1, digest: "e".repeat(64) }),
        gateId({ ref: "p9-00000000", attempt: 1, digest: DIGEST }),
      ];
      for (const id of others) {
        assert.deepEqual(await scene.port.resolve(scene.id, id, APPROVE), { as: "closed" });
      }
      assert.deepEqual(await scene.inbox(), []);
    },
  },
  {
    name: "takes no answer to a question that has ended, or that nobody has asked",
    async run(scene) {
      const lane = await asking(scene);
      await scene.save(lane, { phases: { a: { questions: [] } } });
      for (const id of [QUESTION_OF_A, "question/q-89abcdef", "question/../up"] as const) {
        assert.deepEqual(await scene.port.resolve(scene.id, id, ANSWER), { as: "closed" });
      }
      assert.deepEqual(await scene.inbox(), []);
    },
  },
  {
    name: "has no answer in the inbox to a question that the state does not ask any more",
    async run(scene) {
      const lane = await asking(scene);
      await scene.port.resolve(scene.id, QUESTION_OF_A, ANSWER);
      assert.equal((await scene.inbox()).length, 1);
      await scene.save(lane, { phases: { a: { questions: [] } } });
      assert.deepEqual(await scene.inbox(), []);
    },
  },
  {
    name: "refuses what is no answer",
    async run(scene) {
      await gated(scene);
      const wrong: readonly (readonly [string, unknown])[] = [
        [GATE_OF_A, ANSWER],
        [GATE_OF_A, { ...APPROVE, verb: "land" }],
        [GATE_OF_A, { ...APPROVE, reason: "x".repeat(20_000) }],
        [QUESTION_OF_A, { text: "", agent: "" }],
        [QUESTION_OF_A, { text: "x".repeat(5000), agent: "" }],
        [`outcome/${A}/run`, APPROVE],
      ];
      for (const [id, reply] of wrong) {
        const refused = scene.port.resolve(scene.id, id as PromiseId, reply as Reply);
        await assert.rejects(refused, { code: "ERR_USAGE" });
      }
      assert.deepEqual(await scene.inbox(), []);
    },
  },
  {
    name: "ends a wait by its signal",
    async run(scene) {
      await gated(scene);
      const controller = new AbortController();
      const waiting = scene.wait(GATE_OF_A, controller.signal);
      controller.abort(new Error("enough"));
      await assert.rejects(waiting, { message: "enough" });
    },
  },
  {
    name: "ends a wait that nobody can answer any more",
    async run(scene) {
      const lane = await gated(scene);
      const waiting = scene.wait(GATE_OF_A);
      await scene.save(lane, { phases: { a: { status: "done" } } });
      assert.equal(await waiting, undefined);
    },
  },
  {
    name: "keeps answers over a restart",
    async run(scene) {
      const lane = await gated(scene);
      await scene.save(lane, { phases: { b: ASKING } });
      await scene.port.resolve(scene.id, GATE_OF_A, APPROVE);
      await scene.port.resolve(scene.id, QUESTION_OF_A, ANSWER);
      await scene.kit.restart();
      assert.deepEqual(await scene.wait(GATE_OF_A), APPROVE);
      assert.deepEqual(await scene.wait(QUESTION_OF_A), ANSWER);
    },
  },
  {
    name: "keeps an answer that came while nobody conducts for the next conductor",
    async run(scene) {
      const lane = await gated(scene);
      await scene.port.release(lane);
      await scene.port.resolve(scene.id, GATE_OF_A, APPROVE);
      const next = await scene.take(LANE, aWorker("w2"));
      const taken = (await scene.inbox()).map(({ key }) => key);
      assert.equal(taken.length, 1);
      await scene.save(next, { taken, phases: { a: { status: "queued", approved: DIGEST } } });
      assert.deepEqual(await scene.inbox(), []);
    },
  },
  {
    name: "has a decision about a plan in the inbox, or in the state",
    async run(scene) {
      const lane = await scene.begun();
      await scene.save(lane, { change: { planVerdict: "asked" } });
      await scene.port.release(lane);
      const { revision } = await scene.state();
      const reply = { verb: "approve", reason: "" } as const;
      const resolved = await scene.port.resolve(scene.id, `plan/${revision}`, reply);
      assert.deepEqual(resolved, { as: "resolved" });
      const [item] = await scene.inbox();
      const { planVerdict } = await scene.state();
      assert.ok(item?.id === `plan/${revision}` || planVerdict === "approved");
    },
  },
  {
    name: "takes no decision about another revision of a plan",
    async run(scene) {
      const lane = await scene.begun();
      await scene.save(lane, { change: { planVerdict: "asked" } });
      const reply = { verb: "approve", reason: "" } as const;
      const resolved = await scene.port.resolve(scene.id, "plan/ffffffffffffffff", reply);
      assert.deepEqual(resolved, { as: "closed" });
    },
  },
];

/** A nebula whose phase `a` waits for a person. @returns Its lane. */
async function gated(scene: Scene) {
  const lane = await scene.begun();
  await scene.save(lane, { phases: { a: GATED } });
  return lane;
}

/** A nebula in whose phase `a` an agent asks. @returns Its lane. */
async function asking(scene: Scene) {
  const lane = await scene.begun();
  await scene.save(lane, { phases: { a: ASKING } });
  return lane;
}
