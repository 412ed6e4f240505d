import assert from "node:assert/strict";
import type { Checkpoint } from "../checkpoint.ts";
import type { CheckpointError } from "../errors.ts";
import type { CheckpointStore } from "../store.ts";
import { aCheckpoint } from "./a-checkpoint.ts";

/** What the suite needs of a test runner; those of vitest, jest, mocha and Node have it. */
export interface ContractRunner {
  readonly test: (name: string, body: () => Promise<void>) => void;
}

type CreateStore = () => CheckpointStore | Promise<CheckpointStore>;

/**
 * Registers the tests that every {@link CheckpointStore} has to pass.
 *
 * @param createStore - Gives a new and empty store to each test.
 */
export function describeCheckpointStore({ test }: ContractRunner, createStore: CreateStore): void {
  for (const [name, check] of Object.entries(contract)) {
    test(name, async () => check(await createStore()));
  }
}

const contract: Readonly<Record<string, (store: CheckpointStore) => Promise<void>>> = {
  "loads nothing where nothing was saved": async (store) => {
    assert.equal(await store.load(), undefined);
    assert.equal(await store.load("auth-api"), undefined);
    const { checkpoints, problems } = await store.loadAll();
    assert.deepEqual([checkpoints.size, problems], [0, []]);
  },

  "loads what was saved, one revision on": async (store) => {
    const saved = aCheckpoint({ revision: 7, extra: { later: { key: [1, "two"] } } });
    await store.save(saved);
    const loaded = await store.load(saved.phaseId);
    assert.deepEqual(loaded?.checkpoint, { ...saved, revision: 8 });
    assert.deepEqual([loaded?.source, loaded?.problems], ["current", []]);
  },

  "keeps a turn, and forgets it when it is left out": async (store) => {
    const turn = {
      id: "run-1.3",
      role: "reviewer",
      attempt: 2,
      status: "started",
      allowanceUsd: 4.5,
      reservedUsd: 0.5,
      unmetered: false,
      startedAt: "2026-11-20T23:04:05Z",
      sessionId: "",
      resumed: false,
      treeMark: "",
      pid: 0,
      processStart: 0,
      bootId: "",
      host: "",
      retries: 0,
      kills: 0,
      retryAt: "",
    } as const;
    await store.save(aCheckpoint({ turn }));
    assert.deepEqual((await store.load("auth-api"))?.checkpoint.turn, turn);
    await store.save(aCheckpoint());
    assert.equal((await store.load("auth-api"))?.checkpoint.turn, undefined);
  },

  "says which value is none of a checkpoint, whatever is saved, and keeps what was there": async (
    store,
  ) => {
    await store.save(aCheckpoint());
    const wrong: readonly unknown[] = [undefined, null, 1, "text", [], [null], {}];
    const objects: readonly unknown[] = [undefined, null, 1, [], {}];
    const changed = Object.keys(aCheckpoint()).flatMap((name) =>
      wrong.map((value) => ({ ...aCheckpoint(), [name]: value })),
    );
    for (const value of [...objects, ...changed]) {
      const error = await store.save(value as Checkpoint).then(
        () => undefined,
        (reason: CheckpointError) => reason,
      );
      if (error === undefined) continue; // as good as another value
      const code =
        error.code === "ERR_INCOMPATIBLE_VERSION" ? error.code : "ERR_INVALID_CHECKPOINT";
      assert.equal(error.code, code);
      assert.match(error.message, / is not |holds |no phase can be called|too many/);
    }
    const given = { findings: undefined, turn: 1, extra: null, gitSha: undefined };
    for (const [name, value] of Object.entries(given)) {
      const broken = { ...aCheckpoint(), [name]: value } as unknown as Checkpoint;
      const isNamed = {
        code: "ERR_INVALID_CHECKPOINT",
        message: /^(findings|turn|extra|git_sha) is not /,
      };
      await assert.rejects(store.save(broken), isNamed);
    }
    assert.notEqual(await store.load("auth-api"), undefined);
  },

  "counts the saves of a phase, whatever the caller says": async (store) => {
    for (const expected of [1, 2, 3]) {
      await store.save(aCheckpoint({ revision: 0 }));
      assert.equal((await store.load("auth-api"))?.checkpoint.revision, expected);
    }
  },

  "keeps phases apart, however much their ids look alike": async (store) => {
    const ids = ["", "a", "A", "toml", "a.b", "a/b", "../a", "..", "con", "é", "e\u0301", "~a"];
    const names = [...ids, "__proto__", "constructor", "x".repeat(300), "😀".repeat(80)];
    for (const phaseId of names) await store.save(aCheckpoint({ phaseId, runId: phaseId }));
    for (const phaseId of names) {
      assert.equal((await store.load(phaseId))?.checkpoint.runId, phaseId);
    }
    const { checkpoints, problems } = await store.loadAll();
    assert.deepEqual([...checkpoints.keys()].toSorted(), names.toSorted());
    assert.deepEqual(problems, []);
  },

  "takes the standalone run for the phase without a name": async (store) => {
    await store.save(aCheckpoint({ phaseId: "", runId: "alone" }));
    assert.equal((await store.load())?.checkpoint.runId, "alone");
    assert.equal((await store.load(""))?.checkpoint.runId, "alone");
  },

  "is not changed by what the caller does with its objects": async (store) => {
    const commits = ["1".repeat(40)];
    await store.save(aCheckpoint({ cycleCommits: commits }));
    commits.push("2".repeat(40));
    assert.equal((await store.load("auth-api"))?.checkpoint.cycleCommits.length, 1);
  },

  "has done its work when save returns, before it resolves": async (store) => {
    const saving = store.save(aCheckpoint({ runId: "early" }));
    const loading = store.load("auth-api");
    assert.equal((await loading)?.checkpoint.runId, "early");
    await saving;
  },

  "makes text well-formed on entry": async (store) => {
    await store.save(aCheckpoint({ coderOutput: "half \ud83d of a pair" }));
    assert.equal((await store.load("auth-api"))?.checkpoint.coderOutput, "half \ufffd of a pair");
  },

  "refuses what could not be loaded, and keeps what it had": async (store) => {
    await store.save(aCheckpoint({ runId: "good" }));
    for (const change of [{ maxBudgetUsd: Number.NaN }, { cycle: 1.5 }, { createdAt: "today" }]) {
      await assert.rejects(store.save(aCheckpoint(change)), { code: "ERR_INVALID_CHECKPOINT" });
    }
    const incompatible = { code: "ERR_INCOMPATIBLE_VERSION" };
    await assert.rejects(store.save(aCheckpoint({ version: 2 })), incompatible);
    for (const phaseId of ["a\0b", "a\nb", "\ud83d", "x".repeat(1025)]) {
      const invalid = { code: "ERR_INVALID_CHECKPOINT" };
      await assert.rejects(store.save(aCheckpoint({ phaseId })), invalid);
      await assert.rejects(store.load(phaseId), invalid);
      await assert.rejects(store.remove(phaseId), invalid);
    }
    assert.equal((await store.load("auth-api"))?.checkpoint.runId, "good");
  },

  "refuses what is no checkpoint at all, by its code, and keeps what it had": async (store) => {
    await store.save(aCheckpoint({ runId: "good" }));
    const { findings: _, ...unfinished } = aCheckpoint();
    const changes = [
      ...[{ findings: [undefined] }, { allFindings: {} }, { ledger: null }, { extra: null }],
      ...[{ turn: "coder" }, { taskTitle: undefined }, { phaseId: undefined }],
    ];
    const changed = changes.map((change) => ({ ...aCheckpoint(), ...change }));
    const malformed: readonly unknown[] = [undefined, null, "text", [], {}, unfinished, ...changed];
    for (const value of malformed) {
      const saving = async (): Promise<void> => store.save(value as Checkpoint);
      await assert.rejects(saving, { code: "ERR_INVALID_CHECKPOINT" });
    }
    assert.equal((await store.load("auth-api"))?.checkpoint.runId, "good");
  },

  "removes one phase and no other, and a second time too": async (store) => {
    await store.save(aCheckpoint({ phaseId: "a" }));
    await store.save(aCheckpoint({ phaseId: "b" }));
    await store.remove("a");
    await store.remove("a");
    assert.equal(await store.load("a"), undefined);
    assert.deepEqual([...(await store.loadAll()).checkpoints.keys()], ["b"]);
  },
};
