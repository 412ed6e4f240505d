import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { GitError } from "@quasar/git";
import { expect, onTestFinished, test, vi } from "vitest";
import { answerPhase } from "../src/people/answer.ts";
import { aPlace, commonDir, GATED, MANIFEST, newest, phase, write, WRITES_BOTH } from "./place.ts";

/** What git fails in, as often as it says. */
const failing = vi.hoisted(() => ({ digests: 0, markers: 0, message: "git diff-tree failed" }));

const failed = (what: "digests" | "markers"): void => {
  if (failing[what] === 0) return;
  failing[what] -= 1;
  throw new GitError("ERR_GIT_FAILED", failing.message);
};

vi.mock(import("@quasar/git/landing"), async (load) => {
  const real = await load();
  return {
    ...real,
    changeDigest: async (...args) => {
      failed("digests");
      return real.changeDigest(...args);
    },
    conflictMarkersLeft: async (...args) => {
      failed("markers");
      return real.conflictMarkersLeft(...args);
    },
  };
});

const FILES = {
  "nebula.toml": MANIFEST,
  "a.md": phase("a", 'gate = "review"'),
  "b.md": phase("b"),
};

function fail(change: Partial<typeof failing>): void {
  const before = { ...failing };
  Object.assign(failing, change);
  onTestFinished(() => void Object.assign(failing, before));
}

test("a phase whose change git cannot read waits for a person, and the others land", async () => {
  const place = aPlace({}, FILES);
  fail({ digests: 2 });
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("waiting");
  expect(place.landings()).toEqual(["Land b: Phase b"]);
  expect(state.phases[0]).toMatchObject({
    ...{ id: "a", status: "awaiting_human", question: "rework" },
    reason: "git has failed in it twice, and a retry begins it again: git diff-tree failed",
  });
  expect(answerPhase(commonDir(place), state, { verb: "skip", phase: "a" })).toEqual({
    kind: "done",
  });
});

test("what git fails in once is done again", async () => {
  const place = aPlace({}, { "nebula.toml": GATED, "a.md": phase("a") });
  fail({ digests: 1 });
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("waiting");
  expect(state.phases[0]).toMatchObject({ question: "land" });
});

test("a lock that stays ends the engine: no phase is asked about", async () => {
  const place = aPlace({}, { "nebula.toml": GATED, "a.md": phase("a") });
  fail({ digests: 2, message: "Unable to create 'x.lock': File exists." });
  await expect(place.apply(WRITES_BOTH)).rejects.toMatchObject({ code: "ERR_GIT_FAILED" });
  expect(newest(place).phases[0]?.status).toBe("landing");
});

test("an approved rework whose markers git cannot read waits for a person", async () => {
  const place = aPlace(
    { "one.txt": "start\n" },
    { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") },
  );
  fail({ markers: 2 });
  const { reason, state } = await place.apply({
    "Phase a": (tree) => write(tree, { "one.txt": "a\n" }),
    "Phase b": async (tree, { prompt }) => {
      if (!prompt.includes("REWORK:")) await place.after("phase_approved", "a");
      write(tree, { "one.txt": "b\n" });
    },
  });
  expect(reason).toBe("waiting");
  expect(state.phases[1]).toMatchObject({ status: "awaiting_human", question: "rework" });
});

test("a phase whose index an agent has spoiled begins again in a tree of its own", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const spoils = (tree: string): void => {
    write(tree, { "a.txt": "a\n" });
    const args = ["rev-parse", "--path-format=absolute", "--git-path", "index"];
    writeFileSync(execFileSync("git", args, { cwd: tree, encoding: "utf8" }).trim(), "no index");
  };
  const { state } = await place.apply({ "Phase a": spoils });
  expect(state.phases[0]?.status).toBe("failed");
  answerPhase(commonDir(place), state, { verb: "retry", phase: "a" });
  const { state: waits, reason } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("waiting");
  expect(waits.phases[0]).toMatchObject({ status: "awaiting_human", question: "rework" });
  answerPhase(commonDir(place), waits, { verb: "retry", phase: "a" });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
});
