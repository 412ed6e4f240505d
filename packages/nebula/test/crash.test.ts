import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onGitWork, openRepository } from "@quasar/git";
import { expect, onTestFinished, test } from "vitest";
import type { ApplyEnd } from "../src/engine/apply.ts";
import type { Told } from "../src/events.ts";
import { NebulaError } from "../src/errors.ts";
import { checkNebulae } from "../src/state/check.ts";
import { nebulaEvents } from "../src/state/events.ts";
import { answerPhase } from "../src/people/answer.ts";
import { refsOf } from "../src/state/home.ts";
import { listNebulae } from "../src/state/list.ts";
import type { NebulaState } from "../src/state/state.ts";
import {
  aPlace,
  GATED,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
  WRITES_BOTH,
  IN_ORDER,
  commonDir,
} from "./place.ts";

/** Interrupts a nebula at the first event of a type. */
async function stoppedAt(
  place: Place,
  type: Told["type"],
  work: Work = WRITES_BOTH,
): Promise<ApplyEnd> {
  const stop = new AbortController();
  const onEvent = (event: Told): void => {
    if (event.type === type) stop.abort();
  };
  return place.apply(work, { signal: stop.signal, onEvent });
}

const tipOf = (place: Place): string => place.git("rev-parse", "nebula/demo");

test("what is interrupted while it lands has been interrupted, and has not failed", async () => {
  const place = aPlace({}, IN_ORDER);
  const { reason, state } = await stoppedAt(place, "candidate_made");
  expect(reason).toBe("interrupted");
  expect(state.phases[0]?.status).toBe("landing");
});

test("a candidate that was recorded is held by its ref before it lands", async () => {
  const place = aPlace({}, IN_ORDER);
  const { state } = await stoppedAt(place, "candidate_made");
  const ref = refsOf(state.id).candidate(1);
  await place.apply(WRITES_BOTH);
  expect(place.git("rev-parse", ref)).toBe(state.phases[0]?.candidate);
});

test("a ref of Quasar's whose commit is lost is made anew", async () => {
  const place = aPlace({}, IN_ORDER);
  const { state } = await stoppedAt(place, "candidate_made");
  write(join(place.repo, ".git"), { [refsOf(state.id).candidate(1)]: `${"1".repeat(40)}\n` });
  const { reason } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("done");
  expect(place.git("rev-parse", refsOf(state.id).candidate(1))).toBe(state.phases[0]?.candidate);
});

test("a lock that a dead git has left in the tree of the verifications is in nobody's way", async () => {
  const files = { ...IN_ORDER, "nebula.toml": `${MANIFEST}[execution]\nverify = ["true"]\n` };
  const place = aPlace({}, files);
  await stoppedAt(place, "phase_landed");
  const [tree] = globSync(join(place.repo, ".git/worktrees/verify"));
  writeFileSync(join(tree ?? "", "index.lock"), "");
  const { reason } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("done");
});

test("the tree of a landing that a dead engine has left goes before anything else begins", async () => {
  const place = aPlace({}, IN_ORDER);
  await stoppedAt(place, "phase_landed");
  const trees = () => globSync(join(place.root, ".repo.quasar/*/p1-*"));
  expect(trees()).toHaveLength(1);
  let atBegin: readonly string[] | undefined;
  const onEvent = ({ type }: Told): void => {
    if (type === "phase_begun") atBegin ??= trees();
  };
  expect((await place.apply(WRITES_BOTH, { onEvent })).reason).toBe("done");
  expect(atBegin).toEqual([]);
});

test("a verification that a dead engine has left running is ended before the next one", async () => {
  const place = aPlace({}, IN_ORDER);
  const { state } = await stoppedAt(place, "candidate_made");
  const env = { ...process.env, QUASAR_RUN_ID: `${state.id}-command-1` };
  const left = spawn("sleep", ["60"], { env, detached: true, stdio: "ignore" });
  onTestFinished(() => void left.kill("SIGKILL"));
  const ended = once(left, "exit");
  const { reason } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("done");
  await ended;
});

test("trees are set up side by side: the end of one command does not end another", async () => {
  const setup = `case $PWD in */p1-*) sleep 3;; esac`;
  const manifest = `${MANIFEST}[execution]\nsetup = [${JSON.stringify(setup)}]\n`;
  const place = aPlace({}, { ...IN_ORDER, "nebula.toml": manifest, "b.md": phase("b") });
  const { reason } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("done");
});

test("a run that has ended without approval, unknown to the nebula, is known to have failed", async () => {
  const place = aPlace({}, IN_ORDER);
  const work: Work = {
    ...WRITES_BOTH,
    "Phase a": () => {
      throw new Error("the agent is broken");
    },
  };
  const { state } = await place.apply(work);
  expect(state.phases[0]?.status).toBe("failed");
  const file = join(place.repo, ".git/quasar/nebulae", state.id, "state.toml");
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text
      .replace('status = "failed"', 'status = "running"')
      .replace('status = "skipped"', 'status = "pending"'),
  );
  const { reason, state: after } = await place.apply(work);
  expect(reason).toBe("failed");
  expect(after.phases.map(({ status }) => status)).toEqual(["failed", "skipped"]);
});

/** All ways in which a power cut may take back the branch, by what had landed. */
const CUTS = [1, 2, 3].flatMap((landed) =>
  Array.from({ length: landed }, (_, onto) => ({ landed, onto })),
);

const WRITES_THREE: Work = {
  ...WRITES_BOTH,
  "Phase c": (tree) => write(tree, { "c.txt": "c\n" }),
};

/** A nebula of three phases, one after the other, that was stopped after so many landings. */
async function landedOf(landed: number): Promise<{ place: Place; state: NebulaState }> {
  const place = aPlace({}, { ...IN_ORDER, "c.md": phase("c", 'depends_on = ["b"]') });
  const stop = new AbortController();
  let count = 0;
  const onEvent = (event: Told): void => {
    if (event.type === "phase_landed" && (count += 1) === landed) stop.abort();
  };
  const { state } = await place.apply(WRITES_THREE, { signal: stop.signal, onEvent });
  return { place, state };
}

test.for(CUTS)(
  "of $landed landings a power cut took all but the first $onto back: they are repeated",
  async ({ landed, onto }) => {
    const { place, state } = await landedOf(landed);
    const before = tipOf(place);
    place.git("update-ref", "refs/heads/nebula/demo", state.phases[onto]?.onto ?? "");
    const { reason } = await place.apply(WRITES_THREE, { resumed: state });
    expect(reason).toBe("done");
    expect(place.told.filter(({ type }) => type === "landing_repeated")).toHaveLength(
      landed - onto,
    );
    expect(place.landings()).toEqual(["a", "b", "c"].map((id) => `Land ${id}: Phase ${id}`));
    expect(place.git("merge-base", before, "nebula/demo")).toBe(before);
  },
);

test("a landing that is to be repeated does not move a branch under the files of a work tree", async () => {
  const { place, state } = await landedOf(1);
  place.git("update-ref", "refs/heads/nebula/demo", state.base);
  const there = join(place.root, "there");
  place.git("worktree", "add", "--quiet", there, "nebula/demo");
  await expect(place.apply(WRITES_THREE, { resumed: state })).rejects.toMatchObject({
    code: "ERR_BRANCH",
  });
  expect(place.git("-C", there, "status", "--porcelain")).toBe("");
});

/** Where a person may put the branch: nothing of what an engine has recorded. */
const ELSEWHERE = [
  ["at a commit of theirs", "commit"],
  ["at what a phase was approved with", "tip"],
  ["nowhere", "delete"],
] as const;

test.for(ELSEWHERE)(
  "a branch that a person has put %s is refused, and the advice brings it back",
  async ([, where]) => {
    const { place, state } = await landedOf(2);
    const before = tipOf(place);
    const ref = "refs/heads/nebula/demo";
    const main = place.git("rev-parse", "main");
    const own = place.git("commit-tree", "main^{tree}", "-p", main, "-m", "A person's");
    if (where === "delete") place.git("update-ref", "-d", ref);
    else place.git("update-ref", ref, where === "tip" ? (state.phases[0]?.tip ?? "") : own);
    const error: unknown = await place.apply(WRITES_THREE).catch((thrown: unknown) => thrown);
    if (!(error instanceof NebulaError)) throw error;
    expect(error.code).toBe("ERR_REWOUND");
    const [{ shell = "" } = {}] = error.next;
    execFileSync("sh", ["-c", shell], { cwd: place.repo });
    expect(tipOf(place)).toBe(before);
    expect((await place.apply(WRITES_THREE)).reason).toBe("done");
    expect(place.landings()).toEqual(["a", "b", "c"].map((id) => `Land ${id}: Phase ${id}`));
  },
);

test("the advice brings a landing back also where the branch is checked out", async () => {
  const { place } = await landedOf(2);
  const before = tipOf(place);
  place.git("switch", "--quiet", "nebula/demo");
  place.git("reset", "--quiet", "--hard", "HEAD~1");
  place.git("commit", "--quiet", "--allow-empty", "-m", "A person's");
  const error: unknown = await place.apply(WRITES_THREE).catch((thrown: unknown) => thrown);
  if (!(error instanceof NebulaError)) throw error;
  expect(error.code).toBe("ERR_REWOUND");
  for (const { shell = "" } of error.next) {
    execFileSync("sh", ["-c", shell], { cwd: place.repo, stdio: "ignore" });
  }
  expect(tipOf(place)).toBe(before);
  expect((await place.apply(WRITES_THREE)).reason).toBe("done");
});

test("the tree of a landing that somebody takes back at once stays", async () => {
  const place = aPlace({}, IN_ORDER);
  const onEvent = (event: Told): void => {
    if (event.type === "phase_landed") {
      place.git("update-ref", "refs/heads/nebula/demo", place.git("rev-parse", "main"));
    }
  };
  await expect(place.apply(WRITES_BOTH, { onEvent })).rejects.toMatchObject({
    code: "ERR_REWOUND",
  });
  const trees = globSync(join(place.root, ".repo.quasar/*/p1-*"));
  expect(trees).toHaveLength(1);
});

test("a commit that comes while a candidate is verified stays, and the phase lands on it", async () => {
  const place = aPlace({}, IN_ORDER);
  const onEvent = (event: Told): void => {
    if (event.type !== "candidate_made" || event.phase !== "a") return;
    const tip = tipOf(place);
    if (tip !== place.git("rev-parse", "main")) return;
    const made = place.git("commit-tree", `${tip}^{tree}`, "-p", tip, "-m", "A person's");
    place.git("update-ref", "refs/heads/nebula/demo", made, tip);
  };
  const { reason } = await place.apply(WRITES_BOTH, { onEvent });
  expect(reason).toBe("done");
  expect(place.landings()).toEqual(["A person's", "Land a: Phase a", "Land b: Phase b"]);
});

const moveTo = (place: Place, to: string): string =>
  place.git("update-ref", "refs/heads/nebula/demo", to);

test.for([
  ["is at", (_place: Place, candidate: string) => candidate],
  [
    "has in its past",
    (place: Place, candidate: string) =>
      place.git("commit-tree", `${candidate}^{tree}`, "-p", candidate, "-m", "A person's"),
  ],
] as const)("a candidate that the branch %s already has landed, once", async ([, toOf]) => {
  const place = aPlace({}, IN_ORDER);
  const onEvent = (event: Told): void => {
    place.told.push(event);
    if (event.type !== "candidate_made" || event.phase !== "a") return;
    moveTo(place, toOf(place, event.candidate));
  };
  const { reason, state } = await place.apply(WRITES_BOTH, { onEvent });
  expect(reason).toBe("done");
  const landings = place.landings().filter((subject) => subject !== "A person's");
  expect(landings).toEqual(["Land a: Phase a", "Land b: Phase b"]);
  expect(state.phases.map(({ landing }) => landing)).toEqual([1, 2]);
  expect(place.told.filter(({ type }) => type === "phase_landed")).toHaveLength(2);
});

test.for([
  ["its candidate", "candidate", 1],
  ["what it was approved with", "tip", 0],
] as const)(
  "a phase of which a person has merged %s does not land again",
  async ([, what, landing]) => {
    const place = aPlace({}, { "nebula.toml": GATED, "a.md": phase("a") });
    expect((await place.apply(WRITES_BOTH)).reason).toBe("waiting");
    const tip = moveTo(place, newest(place).phases[0]?.[what] ?? "") + tipOf(place);
    answerPhase(commonDir(place), newest(place), { verb: "approve", phase: "a" });
    const { reason, state } = await place.apply(WRITES_BOTH);
    expect(reason).toBe("done");
    expect(state.phases[0]?.landing).toBe(landing);
    expect(tipOf(place)).toBe(tip);
  },
);

test("while all workers are at work nobody asks git", async () => {
  const manifest = `${MANIFEST}[execution]\nverify = ["true"]\n`;
  const place = aPlace({}, { "nebula.toml": manifest, "a.md": phase("a"), "b.md": phase("b") });
  const commands: string[] = [];
  const work: Work = {
    ...WRITES_BOTH,
    "Phase a": async (tree) => {
      const unsubscribe = onGitWork({ begun: ({ what }) => commands.push(what), ended: () => {} });
      // As long as the engine looks twice.
      await sleep(2500);
      unsubscribe();
      write(tree, { "a.txt": "a\n" });
    },
  };
  const limits = { maxWorkers: 1, totalUsd: 0, phaseUsd: 5 };
  expect((await place.apply(work, { limits })).reason).toBe("done");
  expect(commands).toEqual([]);
});

test("a resume asks git as often after six landings as after two", async () => {
  const asked = async (count: number): Promise<readonly string[]> => {
    const ids = Array.from({ length: count }, (_, n) => `p${n}`);
    const gated = phase("last", `gate = "review"\ndepends_on = ${JSON.stringify(ids)}`);
    const files = Object.fromEntries(ids.map((id) => [`${id}.md`, phase(id)]));
    const place = aPlace({}, { "nebula.toml": MANIFEST, ...files, "last.md": gated });
    const titles = [...ids, "last"];
    const work: Work = Object.fromEntries(
      titles.map((id) => [`Phase ${id}`, (tree: string) => write(tree, { [`${id}.txt`]: id })]),
    );
    expect((await place.apply(work)).reason).toBe("waiting");
    expect(place.landings()).toHaveLength(count);
    const commands: string[] = [];
    const begun = ({ what }: { readonly what: string }): void => void commands.push(what);
    const unsubscribe = onGitWork({ begun, ended: () => {} });
    onTestFinished(unsubscribe);
    expect((await place.apply(work)).reason).toBe("waiting");
    unsubscribe();
    return commands;
  };
  expect(await asked(6)).toEqual(await asked(2));
});

/** A nebula that is saved and whose branch is not made yet. */
async function savedOnly(place: Place): Promise<void> {
  const stop = new AbortController();
  const env = {
    // What is read first after the save.
    get QUASAR_TREES(): undefined {
      stop.abort();
      return undefined;
    },
  };
  const { reason } = await place.apply(WRITES_BOTH, { signal: stop.signal, env });
  expect(reason).toBe("interrupted");
  expect(newest(place).ownsBranch).toBe(false);
  expect(place.git("branch", "--list", "nebula/*")).toBe("");
}

test("a branch of its name that somebody has made since it was saved is not taken for its own", async () => {
  const place = aPlace({}, IN_ORDER);
  await savedOnly(place);
  const other = place.git("commit-tree", "-m", "Other", "-p", "main", "main^{tree}");
  place.git("branch", "nebula/demo", other);
  const refused = expect.objectContaining({ code: "ERR_BRANCH" }) as Error;
  await expect(place.apply(WRITES_BOTH)).rejects.toEqual(refused);
  // Another nebula in its place does not take it either.
  const fresh = place.apply(WRITES_BOTH, { resumed: undefined, fresh: true });
  await expect(fresh).rejects.toEqual(refused);
  expect(place.git("rev-parse", "nebula/demo")).toBe(other);
});

test("what a nebula is cut off from while its branch is made is made, and begins once", async () => {
  const place = aPlace({}, IN_ORDER);
  await savedOnly(place);
  // As where it died between its branch and the record of it.
  place.git("branch", "nebula/demo", "main");
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  expect(nebulaEvents(commonDir(place), newest(place).id)[0]).toMatchObject({
    type: "nebula_begun",
  });
  expect(place.told.filter(({ type }) => type === "nebula_begun")).toHaveLength(1);
});

test("a commit of a person on the branch, before anything has landed, is in nobody's way", async () => {
  const place = aPlace({}, IN_ORDER);
  await stoppedAt(place, "nebula_begun");
  const mine = place.git("commit-tree", "-m", "Mine", "-p", "main", "main^{tree}");
  place.git("update-ref", "refs/heads/nebula/demo", mine);
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  expect(place.landings()[0]).toBe("Mine");
});

test("a folder of a nebula that died before its first save is no nebula, and hinders none", async () => {
  const place = aPlace({}, IN_ORDER);
  const folder = join(place.repo, ".git/quasar/nebulae/aaaaaaaaaa");
  write(folder, { "spec/0/nebula.toml": MANIFEST, lock: "" });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  const commonDir = join(place.repo, ".git");
  expect(listNebulae(commonDir)).toHaveLength(1);
  expect(await checkNebulae(await openRepository(place.repo))).toEqual([]);
});
