import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKeyManager, listReceipts, verifyReceipt } from "@quasar/receipts";
import { expect, test, vi } from "vitest";
import { updateNebula } from "../src/people/update-nebula.ts";
import type { NebulaEvent, Told } from "../src/events.ts";
import { loadNebula } from "../src/spec/index.ts";
import { nebulaEvents } from "../src/state/events.ts";
import { nebulaHome } from "../src/state/home.ts";
import type { NebulaState } from "../src/state/state.ts";
import {
  aPlace,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
  WRITES_BOTH,
  commonDir,
} from "./place.ts";

const verified = (commands: readonly string[], more = ""): string =>
  `${MANIFEST}[execution]\nverify = ${JSON.stringify(commands)}\n${more}`;

const verifiedBy = (...commands: string[]) => ({
  "nebula.toml": verified(commands),
  "a.md": phase("a"),
  "b.md": phase("b", 'depends_on = ["a"]'),
});

type Of<T extends NebulaEvent["type"]> = Extract<NebulaEvent, { readonly type: T }>;
const told = <T extends NebulaEvent["type"]>({ told: all }: Place, type: T): Of<T>[] =>
  all.filter((event): event is Of<T> => event.type === type);
const outcomes = (place: Place): readonly string[] =>
  told(place, "verification").map(({ outcome }) => outcome);
const bases = (place: Place): readonly string[] =>
  told(place, "base_verified").map(({ outcome }) => outcome);
const journal = ({ repo }: Place, { id }: NebulaState) => nebulaEvents(`${repo}/.git`, id);

/** A person's commit on the branch: the tree of its tip with a file more, or changed. */
function commitOn(place: Place, path: string, text: string): void {
  const there = join(place.root, "person");
  place.git("worktree", "add", "-q", "--detach", there, "nebula/demo");
  write(there, { [path]: text });
  const git = (...args: string[]): string => place.git("-C", there, ...args);
  git("add", "-A");
  git("commit", "-qm", "A person's");
  place.git("update-ref", "refs/heads/nebula/demo", git("rev-parse", "HEAD"));
  place.git("worktree", "remove", there);
}

const NO_BAD = "test ! -e bad.txt || { echo it is bad; exit 1; }";

test("where the branch fails by itself nothing begins, no phase is blamed, and the output is reported", async () => {
  const place = aPlace({ "bad.txt": "bad\n" }, verifiedBy(NO_BAD));
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("red_base");
  expect(state.phases.map(({ status, attempt }) => [status, attempt])).toEqual([
    ["pending", 1],
    ["pending", 1],
  ]);
  const [base] = told(place, "base_verified");
  expect(base).toMatchObject({ outcome: "failed", tip: place.git("rev-parse", "main") });
  expect(base?.findings).toEqual([`[verify] ${NO_BAD} exit 1: it is bad`]);
  expect(journal(place, state)).toContainEqual(expect.objectContaining(base));
  // The next engine verifies it again, once.
  expect((await place.apply(WRITES_BOTH)).reason).toBe("red_base");
  expect(bases(place)).toEqual(["failed", "failed"]);
});

test("a command that touches a file under the user's own filter has changed nothing", async () => {
  const files = { ".gitattributes": "*.up filter=up\n", "x.up": "hello\n" };
  const place = aPlace(files, verifiedBy("touch x.up; grep -q HELLO x.up", "touch x.up"));
  const config = join(place.root, "config");
  writeFileSync(config, '[filter "up"]\nclean = tr A-Z a-z\nsmudge = tr a-z A-Z\n');
  vi.stubEnv("GIT_CONFIG_GLOBAL", config);
  try {
    expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  } finally {
    vi.unstubAllEnvs();
  }
  expect([...bases(place), ...outcomes(place)]).toEqual(["passed", "passed", "passed"]);
});

test("failures that a person accepts are no phase's, and others are", async () => {
  const noWorse = "test ! -e worse.txt";
  const place = aPlace({ "bad.txt": "bad\n" }, verifiedBy(NO_BAD, noWorse));
  const work: Work = {
    "Phase a": (tree, { prompt }) => {
      const isBack = prompt.includes("REWORK:");
      const remove = (): void => void place.git("-C", tree, "rm", "-q", "worse.txt");
      if (isBack) remove();
      else write(tree, { "a.txt": "a\n", "worse.txt": "worse\n" });
    },
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  };
  const { reason, state } = await place.apply(work, { acceptsRedBase: true });
  expect(reason).toBe("done");
  expect(state.acceptedFailures).toEqual([NO_BAD]);
  expect(outcomes(place)).toEqual(["failed", "accepted", "accepted"]);
  expect(told(place, "rework").map(({ findings }) => findings)).toEqual([
    [`[verify] ${noWorse} exit 1: `],
  ]);
  expect(told(place, "phase_landed").map((landed) => landed.verified)).toEqual([false, false]);
});

test("what was accepted stays accepted, and what fails later is not", async () => {
  const place = aPlace({ "bad.txt": "bad\n" }, verifiedBy(NO_BAD, "test ! -e foreign.txt"));
  const work: Work = {
    ...WRITES_BOTH,
    "Phase b": (tree) => {
      write(tree, { "b.txt": "b\n" });
      commitOn(place, "foreign.txt", "x\n");
    },
  };
  const { reason, state } = await place.apply(work, { acceptsRedBase: true });
  expect(reason).toBe("red_base");
  expect(state.phases.map(({ status, attempt }) => [status, attempt])).toEqual([
    ["done", 1],
    ["queued", 1],
  ]);
  expect(bases(place)).toEqual(["accepted", "failed"]);
  expect((await place.apply(work)).reason).toBe("red_base");
});

test("a person's commit on the branch that fails stops the lane until it is gone", async () => {
  const place = aPlace({}, verifiedBy(NO_BAD));
  const work: Work = {
    ...WRITES_BOTH,
    "Phase b": (tree) => {
      write(tree, { "b.txt": "b\n" });
      commitOn(place, "bad.txt", "bad\n");
    },
  };
  const { reason, state } = await place.apply(work);
  expect(reason).toBe("red_base");
  expect(state.phases.map(({ status, attempt }) => [status, attempt])).toEqual([
    ["done", 1],
    ["queued", 1],
  ]);
  expect(told(place, "rework")).toEqual([]);
  place.git("update-ref", "refs/heads/nebula/demo", place.git("rev-parse", "nebula/demo^1"));
  expect((await place.apply(work)).reason).toBe("done");
  expect(place.landings()).toEqual(["Land a: Phase a", "Land b: Phase b"]);
});

test("a person's commit on the branch that passes is verified once and landed on", async () => {
  const place = aPlace({}, verifiedBy(NO_BAD));
  const work: Work = {
    ...WRITES_BOTH,
    "Phase b": (tree) => {
      write(tree, { "b.txt": "b\n" });
      commitOn(place, "good.txt", "good\n");
    },
  };
  expect((await place.apply(work)).reason).toBe("done");
  expect(bases(place)).toEqual(["passed", "passed"]);
  expect(place.landings()).toEqual(["Land a: Phase a", "A person's", "Land b: Phase b"]);
});

test("a phase that conflicts with a person's commit is reworked on it", async () => {
  const place = aPlace({}, verifiedBy(NO_BAD));
  const work: Work = {
    ...WRITES_BOTH,
    "Phase b": (tree, { prompt }) => {
      write(tree, { "b.txt": prompt.includes("REWORK:") ? "both\n" : "b\n" });
      if (!prompt.includes("REWORK:")) commitOn(place, "b.txt", "a person's\n");
    },
  };
  expect((await place.apply(work)).reason).toBe("done");
  expect(told(place, "rework").map(({ findings }) => findings[0])).toEqual([
    expect.stringMatching(/^\[merge\] b\.txt: CONFLICT \(add\/add\)/u),
  ]);
  expect(place.landings()).toEqual(["Land a: Phase a", "A person's", "Land b: Phase b"]);
  expect(place.git("show", "nebula/demo:b.txt")).toBe("both");
});

test("a failure that does not repeat lands, is reported and kept as flaky, and has a receipt for each try", async () => {
  const flaky = "test ! -e a.txt || test -e ../seen || { touch ../seen; exit 1; }";
  const place = aPlace({}, { "nebula.toml": verified([flaky]), "a.md": phase("a") });
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("done");
  expect(outcomes(place)).toEqual(["flaky"]);
  const { tree = "" } = state.phases[0] ?? {};
  const kept = { type: "verification", phase: "a", tree, outcome: "flaky" };
  expect(journal(place, state)).toContainEqual(expect.objectContaining(kept));
  const receipts = listReceipts(nebulaHome(commonDir(place), state.id).receipts);
  // That of the branch by itself, and the two tries.
  expect(receipts.filter(({ exitCode }) => exitCode === 0)).toHaveLength(2);
  expect(receipts.filter(({ exitCode }) => exitCode === 1)).toHaveLength(1);
});

test.for([
  ["tracked files", "test ! -e a.txt || echo more >> tracked.txt", "tracked.txt"],
  ["files that are not ignored", "test ! -e a.txt || echo more > made.txt", "made.txt"],
] as const)("a command that leaves %s changed has failed", async ([, command, path]) => {
  const place = aPlace(
    { "tracked.txt": "x\n" },
    { "nebula.toml": verified([command], "max_reworks = 1\n"), "a.md": phase("a") },
  );
  const { reason } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("waiting");
  expect(told(place, "rework").map(({ findings }) => findings)).toEqual([
    [`[verify] ${command} changed: ${path}`],
  ]);
  expect(place.landings()).toEqual([]);
});

test.for([
  ["checks another commit out", "git checkout -q --detach HEAD^"],
  ["commits", "git commit -q --allow-empty -m Mine"],
  ["resets HEAD", "git reset -q --hard HEAD^"],
  ["leaves HEAD without a commit", "git switch -q --orphan none"],
] as const)("a command that %s has failed, and nothing lands", async ([, moves]) => {
  const command = `test ! -e a.txt || ${moves}`;
  const files = { "nebula.toml": verified([command, "true"], "max_reworks = 1\n") };
  const place = aPlace({}, { ...files, "a.md": phase("a") });
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("waiting");
  expect(told(place, "rework").map(({ findings }) => findings)).toEqual([
    [expect.stringContaining(`[verify] ${command} moved HEAD to `)],
  ]);
  expect(place.landings()).toEqual([]);
  const receipts = listReceipts(nebulaHome(commonDir(place), state.id).receipts);
  expect(receipts.filter(({ command: of }) => of === "true")).toHaveLength(1);
});

test.for([
  ["its .git", "rm -f .git"],
  ["all that is there", "rm -rf -- * .[a-z]*"],
  ["its work tree", 'rm -rf "$PWD"'],
  ["its git folder", 'rm -rf "$(git rev-parse --git-dir)"'],
  ["its work tree for a link", 'here="$PWD"; cd ..; rm -rf "$here"; ln -s / "$here"'],
] as const)(
  "a command that removes %s has failed, and the next one finds the commit",
  async ([, removes]) => {
    const command = `test ! -e a.txt || { ${removes}; }`;
    const files = { "nebula.toml": verified([command, "test -e a.txt || test ! -e b.txt"]) };
    const place = aPlace({}, { ...files, "a.md": phase("a", "max_reworks = 1") });
    const { state } = await place.apply(WRITES_BOTH);
    expect(told(place, "rework").map(({ findings }) => findings)[0]).toEqual([
      expect.stringContaining(`[verify] ${command} removed its work tree or what git has there`),
    ]);
    expect(place.landings()).toEqual([]);
    const receipts = listReceipts(nebulaHome(commonDir(place), state.id).receipts);
    const last = receipts.filter(({ command: of }) => of !== command);
    expect(last.every(({ exitCode }) => exitCode === 0)).toBe(true);
  },
);

test("a branch that a command has checked out is in nobody's way", async () => {
  const leave = "test ! -e a.txt || { git branch -q -f mine && git switch -q mine; }";
  const files = { "nebula.toml": verified([leave, "git symbolic-ref -q HEAD && exit 1; true"]) };
  const place = aPlace({}, { ...files, "a.md": phase("a") });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  expect(outcomes(place)).toEqual(["passed"]);
});

test("after a command that has failed the next one has the commit, whatever that has left", async () => {
  const fails = "echo more > made.txt; echo more > tracked.txt; exit 1";
  const next = "test ! -e made.txt && test $(cat tracked.txt) = x";
  const files = { "nebula.toml": verified([fails, next]), "a.md": phase("a") };
  const place = aPlace({ "tracked.txt": "x\n" }, files);
  const { reason, state } = await place.apply(WRITES_BOTH, { acceptsRedBase: true });
  expect(state.acceptedFailures).toEqual([fails]);
  expect(reason).toBe("done");
  const receipts = listReceipts(nebulaHome(commonDir(place), state.id).receipts);
  const codes = receipts.filter(({ command }) => command === next).map(({ exitCode }) => exitCode);
  expect(codes).toEqual([0, 0]);
});

test("a change that git was asked to hide fails its command, and does not stay for the next", async () => {
  const hides = "git update-index --skip-worktree tracked.txt; echo more > tracked.txt";
  const next = "test $(cat tracked.txt) = x";
  const files = { "nebula.toml": verified([hides, next]), "a.md": phase("a") };
  const place = aPlace({ "tracked.txt": "x\n" }, files);
  const { state } = await place.apply(WRITES_BOTH, { acceptsRedBase: true });
  expect(state.acceptedFailures).toEqual([hides]);
  expect(told(place, "base_verified")[0]?.findings).toEqual([
    `[verify] ${hides} changed: tracked.txt`,
  ]);
});

test("ignored files of one command are there for the next unless all is removed", async () => {
  const commands = ["echo more > made.txt", "test ! -e made.txt"];
  const outcomesWith = async (more: string) => {
    const files = { "nebula.toml": verified(commands, more), "a.md": phase("a") };
    const place = aPlace({ ".gitignore": "made.txt\n" }, files);
    await place.apply(WRITES_BOTH);
    return bases(place);
  };
  expect(await outcomesWith("")).toEqual(["failed"]);
  expect(await outcomesWith('verify_clean = "all"\n')).toEqual(["passed"]);
});

test("where the tree cannot be set up again the verification has failed, and the engine has not", async () => {
  const more = 'setup = ["test ! -e ../seen"]\nverify_clean = "all"\n';
  const files = { "nebula.toml": verified(["touch ../seen; false"], more), "a.md": phase("a") };
  const place = aPlace({}, files);
  expect((await place.apply(WRITES_BOTH)).reason).toBe("red_base");
  expect(told(place, "base_verified")[0]?.findings).toEqual([
    "[verify] setup: test ! -e ../seen exit 1: ",
  ]);
});

test("a tree that is emptied before each verification is set up again", async () => {
  const more = 'setup = ["echo made > made.txt"]\nverify_clean = "all"\n';
  const place = aPlace(
    { ".gitignore": "made.txt\n" },
    { ...verifiedBy(), "nebula.toml": verified(["cat made.txt"], more) },
  );
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  expect(outcomes(place)).toEqual(["passed", "passed"]);
});

test.for([
  [true, "passes", "true"],
  [false, "fails, as a person has accepted,", "false"],
] as const)(
  "a landing that is recorded after a crash is verified: %s, where its command %s",
  async ([isVerified, , command]) => {
    const place = aPlace({}, { "nebula.toml": verified([command]), "a.md": phase("a") });
    const { state } = await place.apply(WRITES_BOTH, { acceptsRedBase: true });
    // As if the engine had died between the move of the branch and its record.
    const file = nebulaHome(commonDir(place), state.id).state;
    const landed = readFileSync(file, "utf8");
    const before = landed
      .replace('status = "done"', 'status = "landing"')
      .replace(/^landing = 1$/mu, "landing = 0");
    expect(before).not.toBe(landed);
    writeFileSync(file, before);
    expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
    const landings = told(place, "phase_landed").map((each) => each.verified);
    expect(landings).toEqual([isVerified, isVerified]);
  },
);

test("a landing is judged by the commands that it began with, and the branch anew by those of an update", async () => {
  const slow = "test ! -e a.txt || sleep 3";
  const place = aPlace({}, { ...verifiedBy(slow), "b.md": phase("b", 'depends_on = ["a"]') });
  const onEvent = (event: Told): void => {
    place.told.push(event);
    if (event.type !== "candidate_made" || event.phase !== "a") return;
    // It is taken while the command runs.
    write(place.dir, { "nebula.toml": verified(["test ! -e a.txt"]) });
    expect(updateNebula(commonDir(place), newest(place), loadNebula(place.dir))).toBe("left");
  };
  const { reason, state } = await place.apply(WRITES_BOTH, { onEvent });
  const types = place.told.map(({ type }) => type).filter((type) => type !== "run_event");
  expect(types.indexOf("nebula_updated")).toBeLessThan(types.indexOf("phase_landed"));
  expect(told(place, "phase_landed").map((landed) => landed.verified)).toEqual([true]);
  expect(bases(place)).toEqual(["passed", "failed"]);
  expect(reason).toBe("red_base");
  expect(state.phases.map(({ status }) => status)).toEqual(["done", "pending"]);
});

test("of what a command prints the beginning and the end are kept, and its receipt is good for them", async () => {
  const prints = "echo first; head -c 9000000 /dev/zero; echo; echo last";
  const place = aPlace({}, { "nebula.toml": verified([prints]), "a.md": phase("a") });
  const { reason, state } = await place.apply({});
  expect(reason).toBe("done");
  const { receipts } = nebulaHome(commonDir(place), state.id);
  const [receipt] = listReceipts(receipts);
  const text = readFileSync(join(receipts, `${receipt?.receiptId}.out`), "latin1");
  expect(text.length).toBeLessThan(1_100_000);
  expect(text.startsWith("first\n")).toBe(true);
  expect(text.endsWith("\nlast\n")).toBe(true);
  expect(text).toMatch(/\n\S+ 7951436 bytes are left out \S+\n/u);
  const task = { workspaceId: "nebula", taskId: state.id };
  const keys = createKeyManager({ dir: join(place.root, "keys") });
  const verdict = receipt && verifyReceipt(receipt, { dir: receipts, task, keys });
  expect(verdict).toMatchObject({ kind: "valid", output: "matches" });
});

test("the branch is not verified where there is nothing to begin or to land", async () => {
  const place = aPlace({}, verifiedBy("test ! -e again || false"));
  const { state } = await place.apply(WRITES_BOTH);
  expect(bases(place)).toEqual(["passed"]);
  expect((await place.apply(WRITES_BOTH, { resumed: state })).reason).toBe("done");
  expect(bases(place)).toEqual(["passed"]);
  const text = readFileSync(nebulaHome(commonDir(place), state.id).state, "utf8");
  expect(text).toContain("accepted_failures = [");
});
