import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onGitWork, openRepository } from "@quasar/git";
import { sample } from "@quasar/vitest/lane";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Engine } from "../src/context/context.ts";
import { updateBase } from "../src/engine/update-base.ts";
import { takeBase } from "../src/people/take-base.ts";
import { planUpdate } from "../src/people/update.ts";
import { updateNebula } from "../src/people/update-nebula.ts";
import type { ApplyOptions } from "../src/engine/apply.ts";
import type { Told } from "../src/events.ts";
import { squashNebula } from "../src/landing/squash.ts";
import { answerPhase } from "../src/people/answer.ts";
import { leaveRequest } from "../src/people/requests.ts";
import { loadNebula } from "../src/spec/index.ts";
import { keepSpec } from "../src/state/copy.ts";
import { nebulaHome } from "../src/state/home.ts";
import { NO_PUSH, pendingPhase, type PhaseState } from "../src/state/state.ts";
import { createState, openState } from "../src/state/store.ts";
import {
  agentsOf,
  aPlace,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
  commonDir,
} from "./place.ts";

/** The engine whose lane lands something now. */
const lane: { engine: Engine | undefined } = vi.hoisted(() => ({ engine: undefined }));

vi.mock(import("../src/landing/land.ts"), async (load) => {
  const real = await load();
  return {
    ...real,
    land: async (engine, phase) => {
      lane.engine = engine;
      await real.land(engine, phase).finally(() => (lane.engine = undefined));
    },
  };
});

const VERIFIED = `${MANIFEST}[execution]\nverify = ["test ! -e red.txt"]\n`;
const WORK: Work = {
  "Phase a": (tree) => write(tree, { "a.txt": "a\n", "both.txt": "a\n" }),
  "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
};

/** A nebula of which one phase has landed, and the commit that main has come to since. */
async function landed(onMain: Readonly<Record<string, string>>, manifest = VERIFIED) {
  const place = aPlace({}, { "nebula.toml": manifest, "a.md": phase("a") });
  expect((await place.apply(WORK)).reason).toBe("done");
  return { place, main: commit(place, onMain) };
}

function commit(place: Place, files: Readonly<Record<string, string>>): string {
  write(place.repo, files);
  place.git("add", "-A");
  place.git("commit", "-q", "-m", "On main");
  return place.git("rev-parse", "main");
}

const update = async (place: Place, sha: string, withAgent = false) =>
  updateBase(await openRepository(place.repo), newest(place), {
    ...{ commit: sha, name: "main", withAgent },
  });

const again = (place: Place, change: Partial<ApplyOptions> = {}) =>
  place.apply(WORK, { loaded: undefined, resumed: newest(place), ...change });

const contains = (place: Place, sha: string): boolean =>
  place.git("branch", "--contains", sha, "--list", "nebula/demo") !== "";

test("what main has by now lands as a phase of its own, verified, and without an agent", async () => {
  const { place, main } = await landed({ "m.txt": "m\n" });
  expect(await update(place, main)).toEqual({ kind: "done", phase: "base-1" });
  const end = await again(place, { landingsOnly: { phase: "base-1" } });
  expect(end.reason).toBe("done");
  const subject = `Land base-1: Merge main (${main.slice(0, 10)})`;
  expect(place.landings().at(-1)).toBe(subject);
  expect(place.git("log", "-1", "--format=%B", "nebula/demo")).not.toContain("Quasar-Run");
  expect(contains(place, main)).toBe(true);
  expect(place.git("show", "nebula/demo:a.txt")).toBe("a");
  const outcomes = place.told.flatMap((told) =>
    told.type === "verification" ? [`${told.phase} ${told.outcome}`] : [],
  );
  expect(outcomes).toEqual(["a passed", "base-1 passed"]);
  // What is squashed is what the nebula has done, and not what main has.
  const { onto } = await squashNebula(await openRepository(place.repo), newest(place), undefined);
  expect(onto).toBe(main);
  // An update of the folder does not miss its file, and the same commit has nothing left to land.
  const home = nebulaHome(commonDir(place), newest(place).id);
  expect(planUpdate(home, newest(place), loadNebula(place.dir)).updates).toEqual([]);
  expect(await update(place, main)).toEqual({ kind: "done", phase: "base-2" });
  expect((await again(place)).reason).toBe("done");
  expect(place.landings().at(-1)).toBe(subject);
});

test("one commit of all says what has landed, what has not, and nothing of what it is on", async () => {
  const { place, main } = await landed({ "both.txt": "main\n", "m.txt": "m\n" }, MANIFEST);
  await update(place, place.git("rev-parse", "main^"));
  expect((await again(place)).reason).toBe("done");
  const squash = async () =>
    squashNebula(await openRepository(place.repo), newest(place), undefined);
  const messageOf = async () => place.git("log", "-1", "--format=%B", (await squash()).sha);
  const lines = ["- a: Phase a", "", "Quasar-Nebula: demo"];
  expect(await messageOf()).toBe(["Land the nebula demo", "", ...lines].join("\n"));
  place.git("branch", "-D", "nebula/demo-squashed");
  write(place.dir, { "b.md": phase("b", 'gate = "review"') });
  updateNebula(commonDir(place), newest(place), loadNebula(place.dir));
  await update(place, main);
  expect((await again(place)).reason).toBe("waiting");
  expect((await squash()).notLanded).toEqual(["b", "base-2"]);
  expect((await messageOf()).split("\n")).toEqual([
    "Land the nebula demo, unfinished",
    "",
    "- a: Phase a",
    "",
    "Not landed:",
    "- b: Phase b",
    "",
    "Quasar-Nebula: demo",
  ]);
});

test("where it conflicts the screen names the paths, and the branch stays; a person merges, or skips it", async () => {
  const { place, main } = await landed({ "both.txt": "main\n" }, MANIFEST);
  const tip = place.git("rev-parse", "nebula/demo");
  await update(place, main);
  const { reason, state } = await again(place);
  expect(reason).toBe("waiting");
  expect(state.phases[1]).toMatchObject({
    status: "awaiting_human",
    question: "rework",
    reason: expect.stringContaining("[merge] both.txt: ") as string,
  });
  expect(place.git("rev-parse", "nebula/demo")).toBe(tip);
  const answer = (verb: "retry" | "skip") =>
    answerPhase(commonDir(place), newest(place), { verb, phase: "base-1" });
  expect(answer("retry")).toEqual({ kind: "done" });
  expect((await again(place)).reason).toBe("waiting");
  place.git("switch", "--quiet", "--detach", "nebula/demo");
  place.git("merge", "--quiet", "--strategy=ours", "-m", "By hand", "main");
  place.git("update-ref", "refs/heads/nebula/demo", "HEAD");
  place.git("switch", "--quiet", "main");
  answer("retry");
  expect((await again(place)).reason).toBe("done");
  expect(place.landings().at(-1)).toBe("By hand");
});

test("with an agent a conflict is reworked like that of any phase, in the place of the one before", async () => {
  const { place, main } = await landed({ "both.txt": "main\n" }, MANIFEST);
  await update(place, main);
  await again(place);
  expect(await update(place, main, true)).toEqual({ kind: "done", phase: "base-1" });
  const title = `Merge main (${main.slice(0, 10)})`;
  const seen: string[] = [];
  const resolves: Work = {
    [title]: (tree, { prompt }) => {
      seen.push(prompt);
      const path = join(tree, "both.txt");
      expect(readFileSync(path, "utf8")).toContain("<<<<<<<");
      writeFileSync(path, "a and main\n");
    },
  };
  const end = await again(place, { optionsOf: agentsOf(resolves) });
  expect(end.reason).toBe("done");
  expect(seen[0]).toContain("[merge] both.txt: ");
  expect(place.git("show", "nebula/demo:both.txt")).toBe("a and main");
  expect(contains(place, main)).toBe(true);
  expect(end.state.phases).toHaveLength(2);
});

/** As many commands of git as a landing has. */
const MOST_COMMANDS = 16;

test.for(
  sample(
    Array.from({ length: MOST_COMMANDS }, (_, at) => at),
    6,
    6,
  ),
)(
  "one that comes at command %i of git of a landing of the one before is merged, too",
  async (at) => {
    const { place, main } = await landed({ "m.txt": "m\n" }, MANIFEST);
    const later = commit(place, { "later.txt": "later\n" });
    await update(place, main);
    let count = 0;
    const begun = (): void => {
      const { engine } = lane;
      if (engine === undefined || (count += 1) !== at + 1) return;
      takeBase(engine, { commit: later, name: "main", withAgent: false });
    };
    onTestFinished(onGitWork({ begun, ended: () => {} }));
    expect((await again(place)).reason).toBe("done");
    if (count <= at) {
      await update(place, later);
      expect((await again(place)).reason).toBe("done");
    }
    expect(contains(place, main) && contains(place, later)).toBe(true);
    const { phases } = newest(place);
    const merged = phases.filter(({ merges }) => merges !== "");
    expect(merged.every(({ merges }) => contains(place, merges))).toBe(true);
    expect(merged.some(({ merges }) => merges === later)).toBe(true);
    const numbers = phases.map(({ landing }) => landing).filter((landing) => landing > 0);
    expect(place.landings()).toHaveLength(numbers.length);
  },
);

test("an engine that works takes it, before the plan's next phase has landed, and once although it dies", async () => {
  const manifest = `${MANIFEST}[execution]\nmerge_order = "plan"\n`;
  const files = { "nebula.toml": manifest, "a.md": phase("a"), "b.md": phase("b") };
  const place = aPlace({}, files);
  const stop = new AbortController();
  let main = "";
  const optionsOf: ApplyOptions["optionsOf"] = (spec) => {
    const { coder, reviewer } = agentsOf(WORK)(spec);
    const invoke: typeof coder.invoke = async (request) => {
      if (spec.id === "a" && main === "") {
        main = commit(place, { "m.txt": "m\n" });
        expect(await update(place, main)).toEqual({ kind: "left" });
        const taken = () => place.told.some(({ type }) => type === "base_update");
        await vi.waitFor(() => expect(taken()).toBe(true), 20_000);
      }
      return coder.invoke(request);
    };
    return { coder: { ...coder, invoke }, reviewer };
  };
  const onEvent = (told: Told): void => {
    place.told.push(told);
    if (told.type === "base_update") stop.abort();
  };
  const first = await place.apply(WORK, { optionsOf, onEvent, signal: stop.signal });
  expect(first.reason).toBe("interrupted");
  // As if the engine had died before it removed the note.
  const home = nebulaHome(commonDir(place), newest(place).id);
  leaveRequest(home, { kind: "base", commit: main, name: "main", withAgent: false }, new Date());
  const end = await again(place, { optionsOf });
  expect(end.reason).toBe("done");
  expect(place.landings()).toEqual([
    `Land base-1: Merge main (${main.slice(0, 10)})`,
    "Land a: Phase a",
    "Land b: Phase b",
  ]);
});

/** A nebula that has not begun, since main was red when it was to; and the commit that main has come to since. */
async function red(fix: (place: Place) => void) {
  const place = aPlace(
    { "red.txt": "red\n", "b.txt": "b\n" },
    {
      "nebula.toml": `${MANIFEST}[execution]\nverify = ["test ! -e red.txt", "test -e b.txt"]\n`,
      "a.md": phase("a"),
    },
  );
  expect((await place.apply(WORK)).reason).toBe("red_base");
  fix(place);
  place.git("add", "-A");
  place.git("commit", "-q", "-m", "On main");
  await update(place, place.git("rev-parse", "main"));
  return place;
}

test("what main has by now lands where the branch fails by itself, and phases begin once it passes", async () => {
  const place = await red((at) => at.git("rm", "-q", "red.txt"));
  const end = await again(place);
  expect(end.reason).toBe("done");
  expect(place.landings().map((subject) => subject.split(":")[0])).toEqual([
    "Land base-1",
    "Land a",
  ]);
  expect(end.state.acceptedFailures).toEqual([]);
  expect(place.told).toContainEqual(
    expect.objectContaining({ type: "phase_landed", phase: "base-1", verified: true }),
  );
});

test("an update that fails in what the branch does not fail in does not land there", async () => {
  const place = await red((at) => at.git("rm", "-q", "b.txt"));
  const end = await again(place);
  expect(end.reason).toBe("red_base");
  expect(end.state.phases.map(({ id, status }) => [id, status])).toEqual([
    ["a", "pending"],
    ["base-1", "awaiting_human"],
  ]);
  expect(place.landings()).toEqual([]);
});

test("an update that makes nothing worse lands, and the branch is as red as before", async () => {
  const place = await red((at) => write(at.repo, { "other.txt": "x\n" }));
  const end = await again(place);
  expect(end.reason).toBe("red_base");
  expect(place.landings()).toHaveLength(1);
  expect(end.state.phases[0]).toMatchObject({ id: "a", status: "pending" });
  expect(place.told).toContainEqual(
    expect.objectContaining({ type: "phase_landed", phase: "base-1", verified: false }),
  );
});

test("a phase that is approved does not land where the branch fails by itself", async () => {
  const manifest = `${MANIFEST}[execution]\ngate = "review"\nverify = ["test ! -e red.txt"]\n`;
  const place = aPlace({}, { "nebula.toml": manifest, "a.md": phase("a") });
  await place.apply(WORK);
  answerPhase(commonDir(place), newest(place), { verb: "approve", phase: "a" });
  place.git("switch", "-q", "--detach", "nebula/demo");
  write(place.repo, { "red.txt": "red\n" });
  place.git("add", "-A");
  place.git("commit", "-q", "-m", "A person's");
  place.git("update-ref", "refs/heads/nebula/demo", "HEAD");
  place.git("switch", "-q", "main");
  const main = commit(place, { "m.txt": "m\n" });
  await update(place, main);
  expect((await again(place)).reason).toBe("red_base");
  // The update lands, which makes nothing worse; the approved phase does not.
  expect(place.landings().at(-1)).toMatch(/^Land base-1/u);
  expect(newest(place).phases.find(({ id }) => id === "a")?.status).toBe("queued");
});

test("another commit takes the place of one that waits for a larger limit, without its needs", () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const home = nebulaHome(commonDir(place), "abcdefghij");
  mkdirSync(home.dir, { recursive: true });
  const revision = keepSpec(home, loadNebula(place.dir));
  const [first, second] = ["1".repeat(40), "2".repeat(40)];
  const waiting: PhaseState = {
    ...{ ...pendingPhase("base-1", "p2-0", new Date()), merges: first, runs: ["r"] },
    ...{ status: "awaiting_human", question: "budget", neededUsd: 9, neededTurnUsd: 3 },
  };
  createState(home, {
    ...{ id: "abcdefghij", name: "demo", branch: "nebula/demo", dir: place.dir, base: first },
    ...{ revision, createdAt: new Date().toISOString(), archivedFrom: "", archivedTip: "" },
    ...{ planVerdict: "", planReason: "", ownsBranch: true, acceptedFailures: [], ...NO_PUSH },
    phases: [waiting],
  });
  const store = openState(home, () => new Date());
  takeBase({ home, store, inLane: new Set() }, { commit: second, name: "main", withAgent: true });
  const taken = { status: "queued", merges: second, neededUsd: 0, neededTurnUsd: 0 };
  expect(store.phase("base-1")).toMatchObject(taken);
  store.close();
});

test("an update of the base that comes while one is worked on is refused to the person at once", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  await place.apply(WORK);
  const main = commit(place, { "both.txt": "main\n" });
  await update(place, main, true);
  const refused: unknown[] = [];
  const optionsOf: ApplyOptions["optionsOf"] = (spec) => {
    const { coder, reviewer } = agentsOf({})(spec);
    const invoke: typeof coder.invoke = async (request) => {
      refused.push(await update(place, main).catch((error: unknown) => error));
      write(request.workTree, { "both.txt": "both\n" });
      return coder.invoke(request);
    };
    return { coder: { ...coder, invoke }, reviewer };
  };
  expect((await again(place, { optionsOf })).reason).toBe("done");
  expect(refused).toMatchObject([{ code: "ERR_UNFINISHED" }]);
  const long = { commit: main, name: "x".repeat(1025), withAgent: false };
  const updating = updateBase(await openRepository(place.repo), newest(place), long);
  await expect(updating).rejects.toMatchObject({ code: "ERR_USAGE" });
});

test("a commit that has nothing in common with the branch is refused, and one that was taken is left out", async () => {
  const { place } = await landed({ "m.txt": "m\n" }, MANIFEST);
  const pages = place.git("commit-tree", "-m", "pages", place.git("write-tree"));
  await expect(update(place, pages)).rejects.toMatchObject({
    code: "ERR_BRANCH",
    message: `main (${pages.slice(0, 10)}) cannot be merged: it and nebula/demo have no commit in common`,
    next: [{ shell: expect.stringMatching(/^git branch --contains /u) as string }],
  });
  expect(newest(place).phases).toHaveLength(1);
  const home = nebulaHome(commonDir(place), newest(place).id);
  leaveRequest(home, { kind: "base", commit: pages, name: "pages", withAgent: true }, new Date());
  const { reason, state } = await again(place);
  expect(reason).toBe("waiting");
  expect(state.phases.at(-1)).toMatchObject({ id: "base-1", status: "awaiting_human" });
  expect(state.phases.at(-1)?.reason).toContain("refusing to merge unrelated histories");
  const verdict = answerPhase(commonDir(place), state, { verb: "skip", phase: "base-1" });
  expect(verdict).toEqual({ kind: "done" });
});

test("where the history of a clone is cut off before the branch, the refusal says how to get it", async () => {
  const { place, main } = await landed({ "m.txt": "m\n" }, MANIFEST);
  write(place.repo, { ".git/shallow": `${main}\n` });
  await expect(update(place, main)).rejects.toMatchObject({
    code: "ERR_BRANCH",
    next: [{ shell: "git fetch --unshallow" }],
  });
});
