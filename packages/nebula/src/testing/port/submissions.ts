import assert from "node:assert/strict";
import { gateId } from "../../port/promises.ts";
import { LANE } from "../../port/port.ts";
import type { Case } from "./case.ts";
import { aWorker, Scene } from "./scene.ts";

export const SUBMISSIONS: readonly Case[] = [
  {
    name: "begins a nebula of a new id",
    async run(scene) {
      const submission = scene.submission({ depot: "ssh://host/depot.git" });
      assert.equal(await scene.port.submit(submission), "begun");
      const { name, depot, state, inbox, offers } = await scene.port.status(scene.id);
      assert.deepEqual([name, depot, state], ["demo", "ssh://host/depot.git", submission.state]);
      assert.deepEqual([inbox, offers], [[], []]);
    },
  },
  {
    name: "knows a submission that it has, and changes nothing",
    async run(scene) {
      const submission = scene.submission();
      await scene.port.submit(submission);
      const lane = await scene.take(LANE);
      await scene.save(lane, { phases: { a: { status: "running" } } });
      const { rev } = await scene.port.status(scene.id);
      assert.equal(await scene.port.submit(submission), "known");
      assert.equal((await scene.port.status(scene.id)).rev, rev);
    },
  },
  {
    name: "refuses another submission of the same id, and keeps the first",
    async run(scene) {
      await scene.begin();
      const { rev } = await scene.port.status(scene.id);
      const other = scene.submission({ depot: "ssh://elsewhere/depot.git" });
      await assert.rejects(scene.port.submit(other), { code: "ERR_CONFLICT" });
      assert.equal((await scene.port.status(scene.id)).rev, rev);
    },
  },
  {
    name: "begins one nebula where the same is submitted twice at once",
    async run(scene) {
      const submission = scene.submission();
      const both = [scene.port.submit(submission), scene.kit.second().submit(submission)];
      assert.deepEqual((await Promise.all(both)).toSorted(), ["begun", "known"]);
    },
  },
  {
    name: "refuses an id that is none, and makes nothing of it",
    async run(scene) {
      for (const id of [
        "",
        "../../../up",
        "UPPERCASE1",
        "a".repeat(11),
        "@index",
        "a/b",
        "ünebula77",
      ]) {
        await assert.rejects(scene.port.submit(scene.submission({ id })), {
          code: "ERR_NOT_FOUND",
        });
        await assert.rejects(scene.port.status(id), { code: "ERR_NOT_FOUND" });
      }
      assert.ok((await scene.port.list()).every(({ id }) => /^[a-z2-7]{10}$/u.test(id)));
    },
  },
  {
    name: "refuses a state that cannot be read again",
    async run(scene) {
      const { state } = scene.submission();
      const broken = state.replace("version = 1", "version = 0");
      for (const text of ["", "no toml [", broken, state.replace("pending", "gone")]) {
        const refused = scene.port.submit(scene.submission({ state: text }));
        await assert.rejects(refused, { code: "ERR_USAGE" });
      }
      await assert.rejects(scene.port.status(scene.id), { code: "ERR_NOT_FOUND" });
    },
  },
  {
    name: "refuses the state of another nebula",
    async run(scene) {
      const { state } = new Scene(scene.kit).submission();
      const refused = scene.port.submit(scene.submission({ state }));
      await assert.rejects(refused, { code: "ERR_USAGE" });
      await assert.rejects(scene.port.status(scene.id), { code: "ERR_NOT_FOUND" });
    },
  },
  {
    name: "has a nebula in its list soon after",
    async run(scene) {
      await scene.port.submit(scene.submission({ depot: "here" }));
      const entry = await listed(scene, (found) => found !== undefined);
      assert.deepEqual(entry, { id: scene.id, name: "demo", depot: "here", isUnfinished: true });
    },
  },
  {
    name: "has in its list whether a nebula is unfinished",
    async run(scene) {
      const lane = await scene.begun();
      const done = { status: "done" } as const;
      await scene.save(lane, { phases: { a: done, b: done, c: done } });
      const entry = await listed(scene, (found) => found?.isUnfinished === false);
      assert.equal(entry?.isUnfinished, false);
    },
  },
  {
    name: "has one that has ended in its list as unfinished until what a person answers is taken",
    async run(scene) {
      const lane = await scene.begun();
      const done = { status: "done" } as const;
      const ended = { phases: { a: { status: "failed" }, b: done, c: done } } as const;
      await scene.save(lane, ended);
      await listed(scene, (found) => found?.isUnfinished === false);
      const [failed] = (await scene.state()).phases;
      assert.ok(failed);
      const retry = { verb: "retry", reason: "", isFinal: false } as const;
      assert.equal((await scene.port.resolve(scene.id, gateId(failed), retry)).as, "resolved");
      const entry = await listed(scene, (found) => found?.isUnfinished === true);
      assert.equal(entry?.isUnfinished, true);
    },
  },
  {
    name: "lists all nebulae, each once",
    async run(scene) {
      const others = [new Scene(scene.kit), new Scene(scene.kit)];
      for (const each of [scene, ...others]) {
        await each.begin();
        await listed(each, (found) => found !== undefined);
      }
      const ids = (await scene.port.list()).map(({ id }) => id);
      for (const { id } of [scene, ...others]) {
        assert.equal(ids.filter((each) => each === id).length, 1);
      }
    },
  },
  {
    name: "offers nothing before a conductor does",
    async run(scene) {
      await scene.begin();
      assert.equal(await scene.lease("any"), undefined);
      await scene.take(LANE, aWorker("conductor"));
      assert.equal(await scene.lease("any"), undefined);
    },
  },
];

/** Of the scene's nebula in the list, once it is as it is to be. */
async function listed(
  scene: Scene,
  isMeant: (found: { readonly isUnfinished: boolean } | undefined) => boolean,
): Promise<(object & { readonly isUnfinished: boolean }) | undefined> {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = (await scene.port.list()).find(({ id }) => id === scene.id);
    if (isMeant(found)) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  return undefined;
}
