import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { expect, onTestFinished, test, vi } from "vitest";
import { aFolder, aPhase, aSpec, MANIFEST } from "../../test/a-nebula.ts";
import { aPlace, commonDir as commonDirOf } from "../../test/place.ts";
import { updateBase } from "../engine/update-base.ts";
import { loadNebula } from "../spec/load.ts";
import { keepSpec, readSpec } from "../state/copy.ts";
import { nebulaHome } from "../state/home.ts";
import { lockEngine } from "../state/lock.ts";
import { type NebulaState, NO_PUSH, type PhaseState, pendingPhase } from "../state/state.ts";
import { createState, openState, requireState } from "../state/store.ts";
import { answerPhase } from "./answer.ts";
import type { Decision } from "./decision.ts";
import { leaveNote } from "./notes.ts";
import { updateNebula } from "./update-nebula.ts";
import { takeNotes } from "./take-notes.ts";

/** Whether a command dies once its decision is left. */
const command = vi.hoisted(() => ({ isKilled: false }));

vi.mock(import("./take-decisions.ts"), async (load) => {
  const real = await load();
  return {
    ...real,
    takeDecisionsOf(taker, id) {
      if (command.isKilled) throw new Error("killed");
      real.takeDecisionsOf(taker, id);
    },
  };
});

const NOW = new Date(0);
const DIGEST = "d".repeat(64);
const WAITS = { status: "awaiting_human", question: "land", digest: DIGEST } as const;
const BEGUN: NebulaState = {
  ...{ id: "abcdefghij", name: "n", branch: "nebula/n", dir: "/n", base: "0".repeat(40) },
  ...{ revision: "0", createdAt: NOW.toISOString(), archivedFrom: "", archivedTip: "" },
  ...{ planVerdict: "", planReason: "", ownsBranch: true, acceptedFailures: [], ...NO_PUSH },
  phases: ["a", "b"].map((id) => ({ ...pendingPhase(id, `p-${id}`, NOW), ...WAITS })),
};

test("of several decisions about a phase that nobody has taken the last one counts", () => {
  const home = nebulaHome(aFolder({}), BEGUN.id);
  const told: unknown[] = [];
  const leave = (second: number, verb: Decision["verb"], phase: string): void => {
    const about = { phase, attempt: 1, digest: DIGEST, reason: "", isFinal: true };
    leaveNote(home.inbox, { verb, ...about }, new Date(second * 1000));
  };
  leave(1, "reject", "a");
  leave(2, "approve", "b");
  leave(3, "approve", "a");
  leave(4, "reject", "b");
  createState(home, BEGUN);
  const store = openState(home, () => NOW);
  const spec = aSpec({ a: [], b: [] });
  const tell = (event: { readonly type: string }): void => void told.push(event.type);
  takeNotes({ home, store, spec, tell, admit: () => {}, now: () => NOW, inLane: new Set() });
  expect(store.current.phases.map(({ status }) => status)).toEqual(["queued", "failed"]);
  expect(told).toEqual(["decision", "decision"]);
  expect(readdirSync(home.inbox)).toEqual([]);
});

test("the event of a retry says whether the run continues with its review", () => {
  const home = nebulaHome(aFolder({}), BEGUN.id);
  const about = { phase: "a", attempt: 1, digest: "", reason: "", isFinal: false };
  leaveNote(home.inbox, { verb: "retry", ...about }, NOW);
  const [a, b] = BEGUN.phases;
  if (a === undefined || b === undefined) throw new Error("there are two");
  createState(home, { ...BEGUN, phases: [{ ...a, status: "failed", isCoderDone: true }, b] });
  const store = openState(home, () => NOW);
  const told: unknown[] = [];
  const spec = aSpec({ a: [], b: [] });
  const tell = (event: unknown): void => void told.push(event);
  takeNotes({ home, store, spec, tell, admit: () => {}, now: () => NOW, inLane: new Set() });
  expect(told).toMatchObject([{ type: "decision", verb: "retry", isResumed: true }]);
});

type Phase = Partial<PhaseState>;

/** A nebula as an engine has left it that was killed; its repository's git folder is `commonDir`. */
function begun(commonDir: string, ...phases: readonly Phase[]) {
  const home = nebulaHome(commonDir, BEGUN.id);
  mkdirSync(home.dir, { recursive: true });
  const revision = keepSpec(home, loadNebula(folderOf("one", phases.length)));
  createState(home, {
    ...{ ...BEGUN, name: "demo", revision },
    phases: phases.map((change, at) => ({
      ...pendingPhase(idOf(at), `p${at}-0`, NOW),
      ...change,
    })),
  });
  const state = (): NebulaState => requireState(home);
  return {
    ...{ commonDir, home, state },
    status: () => state().phases.map(({ id, status }) => `${id} ${status}`),
    body: () => readSpec(home, state().revision).phases[0]?.body,
    answer: (answer: Parameters<typeof answerPhase>[2]) => answerPhase(commonDir, state(), answer),
    update: (text: string) => updateNebula(commonDir, state(), loadNebula(folderOf(text))),
    /** What is called while an engine works that takes nothing, and is killed. */
    async whileEngine<T>(act: () => T | Promise<T>): Promise<T> {
      const lock = lockEngine(home);
      try {
        return await act();
      } finally {
        lock.release();
      }
    },
    /** What the next engine does first. @returns What it reports. */
    nextEngine(): readonly unknown[] {
      const told: unknown[] = [];
      const store = openState(home, () => NOW);
      takeNotes({
        ...{ home, store, now: () => NOW, inLane: new Set(), admit: () => {} },
        get spec() {
          return readSpec(home, store.current.revision);
        },
        tell: (event) => void told.push(event),
      });
      store.close();
      return told;
    },
  };
}

const idOf = (at: number): string => "ab"[at] ?? "c";

const folderOf = (body: string, count = 1): string =>
  aFolder({
    "nebula.toml": MANIFEST,
    ...Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`${idOf(at)}.md`, aPhase(idOf(at), "", body)]),
    ),
  });

test.for([
  ["approve", WAITS, { verb: "reject", reason: "no", isFinal: true }, "queued"],
  ["reject", WAITS, { verb: "approve" }, "failed"],
  ["skip", { status: "failed" }, { verb: "retry" }, "skipped"],
  ["retry", { status: "failed" }, { verb: "skip" }, "pending"],
] as const)("%s counts, and not what an engine that was killed has left before", async (scene) => {
  const [verb, phase, before, status] = scene;
  const nebula = begun(aFolder({}), phase);
  const left = await nebula.whileEngine(() => nebula.answer({ phase: "a", ...before }));
  expect(left).toEqual({ kind: "left" });
  expect(nebula.answer({ phase: "a", verb, isFinal: true })).toEqual({ kind: "done" });
  expect(nebula.status()).toEqual([`a ${status}`]);
  expect(readdirSync(nebula.home.inbox)).toEqual([]);
  expect(nebula.nextEngine()).toEqual([]);
  expect(nebula.status()).toEqual([`a ${status}`]);
});

test("a decision that is refused leaves the one before it to be taken", async () => {
  const nebula = begun(aFolder({}), { status: "failed" });
  await nebula.whileEngine(() => nebula.answer({ phase: "a", verb: "retry" }));
  expect(nebula.answer({ phase: "a", verb: "approve" })).toMatchObject({ kind: "refused" });
  nebula.nextEngine();
  expect(nebula.status()).toEqual(["a pending"]);
});

test("a decision that a killed command has left counts, and not the one before it", async () => {
  const nebula = begun(aFolder({}), WAITS);
  const reject = { phase: "a", verb: "reject", reason: "no", isFinal: true } as const;
  await nebula.whileEngine(() => nebula.answer(reject));
  command.isKilled = true;
  onTestFinished(() => void (command.isKilled = false));
  expect(() => nebula.answer({ phase: "a", verb: "approve" })).toThrow("killed");
  expect(nebula.status()).toEqual(["a awaiting_human"]);
  expect(nebula.nextEngine()).toMatchObject([{ type: "decision", verb: "approve" }]);
  expect(nebula.status()).toEqual(["a queued"]);
});

test("what is decided of a phase is done after what was left about others", async () => {
  const nebula = begun(aFolder({}), { status: "failed" }, WAITS);
  await nebula.whileEngine(() => nebula.answer({ phase: "b", verb: "approve" }));
  expect(nebula.answer({ phase: "a", verb: "skip" })).toEqual({ kind: "done" });
  expect(nebula.status()).toEqual(["a skipped", "b queued"]);
});

test("an answer about a phase that was cut off while it landed stays for the engine, whatever is typed of others", async () => {
  const landing = { status: "landing", digest: DIGEST, approved: DIGEST } as const;
  const nebula = begun(aFolder({}), landing, { status: "failed" });
  const reject = { phase: "a", verb: "reject", reason: "no", isFinal: true } as const;
  expect(nebula.answer(reject)).toEqual({ kind: "kept" });
  nebula.answer({ phase: "b", verb: "skip" });
  expect(nebula.status()).toEqual(["a landing", "b skipped"]);
  expect(readdirSync(nebula.home.inbox)).toHaveLength(1);
});

test("an update counts, and not the one that an engine that was killed has left before", async () => {
  const nebula = begun(aFolder({}), {});
  expect(await nebula.whileEngine(() => nebula.update("two"))).toBe("left");
  expect(nebula.update("three")).toBe("done");
  expect(nebula.body()).toBe("three");
  expect(nebula.nextEngine()).toEqual([]);
  expect(nebula.body()).toBe("three");
});

test("what is typed last of the base counts, and not what was left before", async () => {
  const place = aPlace({}, {});
  const commits = ["two", "three"].map((text) => {
    place.git("commit", "-q", "--allow-empty", "-m", text);
    return place.git("rev-parse", "HEAD");
  });
  const [two = "", three = ""] = commits;
  const nebula = begun(commonDirOf(place), {});
  const repository = await openRepository(place.repo);
  const base = (commit: string, withAgent = false) =>
    updateBase(repository, nebula.state(), { commit, name: "main", withAgent });
  const merges = () => nebula.state().phases.flatMap((each) => each.merges || []);
  expect(await nebula.whileEngine(() => base(two))).toEqual({ kind: "left" });
  expect(await base(three)).toEqual({ kind: "done", phase: "base-1" });
  expect(merges()).toEqual([three]);
  expect(nebula.nextEngine()).toEqual([]);
  expect(merges()).toEqual([three]);
});

test("an engine takes updates and decisions in the order in which they were left", async () => {
  const nebula = begun(aFolder({}), { status: "failed", isCoderDone: true });
  await nebula.whileEngine(() => {
    nebula.update("two");
    nebula.answer({ phase: "a", verb: "retry" });
  });
  nebula.nextEngine();
  // By its new text it begins again, and its run does not continue.
  expect(nebula.status()).toEqual(["a pending"]);
  expect(nebula.body()).toBe("two");
});

test("a retry that is typed after an update that was left begins by the new text", async () => {
  const nebula = begun(aFolder({}), { status: "failed", isCoderDone: true });
  await nebula.whileEngine(() => nebula.update("two"));
  nebula.answer({ phase: "a", verb: "retry" });
  expect([nebula.status(), nebula.body()]).toEqual([["a pending"], "two"]);
  expect(readdirSync(join(nebula.home.dir, "requests"))).toEqual([]);
});
