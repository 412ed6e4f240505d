import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { GitError } from "@quasar/git";
import { expect, onTestFinished, test, vi } from "vitest";
import { answerPhase } from "../src/people/answer.ts";
import {
  aPlace,
  commonDir,
  GATED,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
  WRITES_BOTH,
} from "./place.ts";

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

/** Two phases that write the same file. @param reworked - What the coder of the second does whenever it is sent back. */
function aConflict(reworked: (tree: string, times: number) => void): [Place, Work] {
  const place = aPlace(
    { "one.txt": "start\n" },
    { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") },
  );
  let times = 0;
  const work: Work = {
    "Phase a": (tree) => write(tree, { "one.txt": "a\n" }),
    "Phase b": async (tree, { prompt }) => {
      if (prompt.includes("REWORK:")) return reworked(tree, (times += 1));
      await place.after("phase_approved", "a");
      write(tree, { "one.txt": "b\n" });
    },
  };
  return [place, work];
}

const resolves = (tree: string): void => write(tree, { "one.txt": "both\n" });

test("an approved rework whose markers git cannot read waits for a person", async () => {
  const [place, work] = aConflict(resolves);
  // Before its review, and twice once it is approved.
  fail({ markers: 3 });
  const { reason, state } = await place.apply(work);
  expect(reason).toBe("waiting");
  expect(state.phases[1]).toMatchObject({ status: "awaiting_human", question: "rework" });
});

test("markers that git could not read before a review keep what is approved from landing", async () => {
  const [place, work] = aConflict((tree, times) => {
    if (times > 1) resolves(tree);
  });
  fail({ markers: 1 });
  const { reason, state } = await place.apply(work);
  expect({ reason, reworks: state.phases[1]?.reworks }).toEqual({
    ...{ reason: "done", reworks: ["merge", "merge"] },
  });
  const sentBack = place.told.flatMap((event) => (event.type === "rework" ? event.findings : []));
  expect(sentBack.at(-1)).toBe("[merge] one.txt: it still has conflict markers (lines 1, 5)");
  expect(place.git("show", "nebula/demo:one.txt")).toBe("both");
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
