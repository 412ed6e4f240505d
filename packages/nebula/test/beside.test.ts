import { execSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { expect, test, vi } from "vitest";
import type { PhaseRunOptions } from "../src/context/context.ts";
import { findObstacles, type NebulaObstacle } from "../src/engine/find-obstacles.ts";
import { squashNebula } from "../src/landing/squash.ts";
import { NebulaError } from "../src/errors.ts";
import type { Told } from "../src/events.ts";
import { loadNebula } from "../src/spec/index.ts";
import { unfinishedOf } from "../src/state/list.ts";
import {
  agentsOf,
  aPlace,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
  WRITES_BOTH,
  IN_ORDER,
  warnings,
} from "./place.ts";

// What a person does in the repository while a nebula works there: the screen says what is in the way and what to type,
// nothing of theirs is touched, and a resume comes to the same files.

const aRepository = (): Place => aPlace({ "mine.txt": "mine\n" }, IN_ORDER);

/** Something happens while the second phase is worked on; the first one has landed. */
const during = (act: (tree: string) => void | Promise<void>): Work => ({
  ...WRITES_BOTH,
  "Phase b": async (tree) => {
    await act(tree);
    write(tree, { "b.txt": "b\n" });
  },
});

const resume = (place: Place, work: Work = WRITES_BOTH) =>
  place.apply(work, { resumed: newest(place), loaded: undefined });

const filesOf = (place: Place): readonly string[] =>
  place.git("ls-tree", "-r", "--name-only", "nebula/demo").split("\n");

function commitOn(place: Place, branch: string): string {
  const tip = place.git("rev-parse", branch);
  return place.git("commit-tree", `${tip}^{tree}`, "-p", tip, "-m", "A person's");
}

test("edits, commits, stashes and cleaning in the user's tree, and git's own cleaning, change nothing", async () => {
  const place = aPlace(
    { "mine.txt": "mine\n", "n/nebula.toml": MANIFEST, "n/a.md": phase("a") },
    IN_ORDER,
  );
  const dir = join(place.repo, "n");
  write(dir, IN_ORDER);
  place.git("add", "-A");
  place.git("commit", "--quiet", "-m", "A nebula");
  const change = { loaded: loadNebula(dir), resumed: undefined };
  const { reason } = await place.apply(
    during(() => {
      write(place.repo, { "mine.txt": "edited\n", "new.txt": "new\n" });
      place.git("stash", "--quiet", "--include-untracked");
      place.git("switch", "--quiet", "--create", "feature");
      place.git("rm", "-r", "--quiet", "n");
      place.git("commit", "--quiet", "-m", "Without the nebula");
      place.git("clean", "-fdxq");
      place.git("worktree", "prune");
      place.git("gc", "--quiet", "--prune=now");
    }),
    change,
  );
  expect(reason).toBe("done");
  expect(existsSync(dir)).toBe(false);
  expect(place.landings().slice(-2)).toEqual(["Land a: Phase a", "Land b: Phase b"]);
  expect(filesOf(place)).toEqual(expect.arrayContaining(["a.txt", "b.txt", "n/a.md"]));
  expect(place.git("status", "--porcelain")).toBe("");
  expect(place.git("branch", "--show-current")).toBe("feature");
  place.git("stash", "pop", "--quiet");
  expect(readFileSync(join(place.repo, "mine.txt"), "utf8")).toBe("edited\n");
});

test("commits of the user's on the branch are reported and landed upon", async () => {
  const place = aRepository();
  const there = join(place.root, "there");
  let theirs = "";
  const { reason } = await place.apply(
    during(() => {
      place.git("update-ref", "refs/heads/nebula/demo", commitOn(place, "nebula/demo"));
      place.git("worktree", "add", "--quiet", there, "nebula/demo");
      write(there, { "theirs.txt": "theirs\n" });
      place.git("-C", there, "add", "-A");
      place.git("-C", there, "commit", "--quiet", "-m", "In another tree");
      theirs = place.git("rev-parse", "nebula/demo");
      place.git("worktree", "remove", there);
    }),
  );
  expect(reason).toBe("done");
  expect(place.told).toContainEqual({ type: "base_moved", phase: "b", tip: theirs });
  expect(place.landings()).toEqual([
    "Land a: Phase a",
    "A person's",
    "In another tree",
    "Land b: Phase b",
  ]);
});

test.for<readonly [what: string, begin: (place: Place, there: string) => void, advice: string]>([
  ["has it checked out", () => {}, "switch --detach"],
  [
    "bisects it",
    (place, there) => place.git("-C", there, "bisect", "start", "HEAD", "main"),
    "bisect reset",
  ],
  [
    "rebases it",
    (place, there) => {
      place.git(
        "-C",
        there,
        "-c",
        "sequence.editor=sed -i.bak s/^pick/edit/",
        "rebase",
        "-qi",
        "main",
      );
    },
    "rebase --abort",
  ],
])("nothing lands while a work tree %s, and what it says ends that", async ([, begin, advice]) => {
  const place = aRepository();
  const there = join(place.root, "there");
  const { reason } = await place.apply(
    during(() => {
      place.git("worktree", "add", "--quiet", there, "nebula/demo");
      begin(place, there);
    }),
  );
  expect(reason).toBe("waiting");
  expect(newest(place).phases[1]?.status).toBe("queued");
  expect(warnings(place)).toEqual([
    expect.stringMatching(new RegExp(`git -C \\S+ ${advice}$`, "u")),
  ]);
  for (let tries = 0; tries < 5; tries += 1) {
    if ((await resume(place)).reason === "done") break;
    const advised = /git -C .*$/u.exec(warnings(place).at(-1) ?? "")?.[0];
    execSync(advised ?? "false", { stdio: "ignore" });
  }
  expect(newest(place).phases[1]?.status).toBe("done");
  expect(filesOf(place)).toEqual(["a.txt", "b.txt", "mine.txt"]);
});

/** What a look at the newest nebula finds. */
async function obstaclesOf(place: Place): Promise<readonly NebulaObstacle[]> {
  return findObstacles(await openRepository(place.repo), newest(place), {});
}

test("a resume works on while a work tree has the branch checked out, and only its landings wait", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") });
  const there = join(place.root, "there");
  const stop = new AbortController();
  const onEvent = ({ type }: Told): void => {
    if (type === "nebula_begun") stop.abort();
  };
  await place.apply(WRITES_BOTH, { signal: stop.signal, onEvent });
  place.git("worktree", "add", "--quiet", there, "nebula/demo");
  const { reason, state } = await resume(place);
  expect(reason).toBe("waiting");
  expect(state.phases.map(({ status }) => status)).toEqual(["queued", "queued"]);
  expect(warnings(place)).toEqual([
    `nothing lands while nebula/demo is checked out in ${there}:\ngit -C ${there} switch --detach`,
  ]);
  expect(place.git("-C", there, "status", "--porcelain")).toBe("");
  expect(await obstaclesOf(place)).toEqual([
    {
      stops: "landing",
      message: `nothing lands while nebula/demo is checked out in ${there}`,
      shells: [`git -C ${there} switch --detach`],
    },
  ]);
  place.git("-C", there, "switch", "--quiet", "--create", "mine");
  expect(await obstaclesOf(place)).toEqual([]);
  place.git("-C", there, "switch", "--quiet", "nebula/demo");
  expect(await obstaclesOf(place)).toMatchObject([{ shells: [`git -C ${there} switch mine`] }]);
  place.git("worktree", "remove", there);
  expect((await resume(place)).reason).toBe("done");
});

test("a look at a nebula sees that its branch lacks what has landed, also once it has ended", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") });
  const { state } = await place.apply(WRITES_BOTH);
  expect(await obstaclesOf(place)).toEqual([]);
  const tip = place.git("rev-parse", "nebula/demo");
  place.git("branch", "--quiet", "--force", "nebula/demo", "main");
  const back = `git branch --force nebula/demo ${tip.slice(0, 12)}`;
  expect(await obstaclesOf(place)).toMatchObject([{ stops: "landing", shells: [back] }]);
  const repository = await openRepository(place.repo);
  await expect(squashNebula(repository, state, undefined)).rejects.toMatchObject({
    code: "ERR_REWOUND",
  });
  execSync(back, { cwd: place.repo, stdio: "ignore" });
  expect(await obstaclesOf(place)).toEqual([]);
  // A branch that is merged may go.
  place.git("merge", "--quiet", "nebula/demo");
  place.git("branch", "--quiet", "-D", "nebula/demo");
  expect(await obstaclesOf(place)).toEqual([]);
});

test("a look at a nebula sees that its branch fails by itself, until it is another one", async () => {
  const files = { "nebula.toml": `${MANIFEST}[execution]\nverify = ["test -e good"]\n` };
  const place = aPlace({}, { ...files, "a.md": phase("a") });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("red_base");
  expect(await obstaclesOf(place)).toMatchObject([{ stops: "work", accepts: "red-base" }]);
  write(place.repo, { good: "" });
  place.git("add", "good");
  place.git("commit", "--quiet", "-m", "Repair it");
  place.git("branch", "--quiet", "--force", "nebula/demo", "main");
  expect(await obstaclesOf(place)).toEqual([]);
});

test("an engine that cannot continue says so at once, and begins no turn in other phases", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") });
  const has = (type: string): boolean => place.told.some((told) => told.type === type);
  const work: Work = {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": async (tree) => {
      await vi.waitFor(() => expect(has("engine_stops")).toBe(true), 20_000);
      write(tree, { "b.txt": "b\n" });
    },
  };
  const reviewed: string[] = [];
  const optionsOf = (spec: { readonly title: string }): PhaseRunOptions => {
    const { coder, reviewer } = agentsOf(work)(spec);
    const invoke: typeof reviewer.invoke = (...given) => {
      reviewed.push(spec.title);
      return reviewer.invoke(...given);
    };
    return { coder, reviewer: { ...reviewer, invoke } };
  };
  const onEvent = (event: Told): void => {
    place.told.push(event);
    if (event.type === "phase_approved") place.git("branch", "--quiet", "-D", "nebula/demo");
  };
  const applied = place.apply(work, { optionsOf, onEvent });
  await expect(applied).rejects.toMatchObject({ code: "ERR_REWOUND" });
  expect(reviewed).toEqual(["Phase a"]);
  expect(place.told).toContainEqual({
    type: "engine_stops",
    reason: "after the turns in flight: the branch nebula/demo is gone",
  });
});

test.for<readonly [what: string, act: (place: Place) => void]>([
  [
    "moved to other work",
    (place) => place.git("update-ref", "refs/heads/nebula/demo", commitOn(place, "main")),
  ],
  ["deleted", (place) => place.git("branch", "--quiet", "-D", "nebula/demo")],
])("nothing lands on a branch that was %s, and what it says brings it back", async ([, act]) => {
  const place = aRepository();
  const error = await place.apply(during(() => act(place))).catch((thrown: unknown) => thrown);
  if (!(error instanceof NebulaError)) throw new Error("it has landed");
  expect(error.code).toBe("ERR_REWOUND");
  await expect(resume(place)).rejects.toMatchObject({ code: "ERR_REWOUND" });
  execSync(error.next[0]?.shell ?? "false", { cwd: place.repo, stdio: "ignore" });
  expect((await resume(place)).reason).toBe("done");
  expect(place.landings()).toEqual(["Land a: Phase a", "Land b: Phase b"]);
  expect(filesOf(place)).toEqual(["a.txt", "b.txt", "mine.txt"]);
});

test("a work tree that is removed is made again at its run's last commit, whatever git has cleaned meanwhile", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const turns: (readonly string[])[] = [];
  const work: Work = {
    "Phase a": (tree) => {
      turns.push(["1.txt", "2.txt"].filter((name) => existsSync(join(tree, name))));
      write(tree, { [`${turns.length}.txt`]: "x\n" });
      if (turns.length === 2) rmSync(tree, { recursive: true });
    },
  };
  const agents = agentsOf(work);
  const optionsOf = (spec: { readonly title: string }): PhaseRunOptions => {
    const { coder, reviewer } = agents(spec);
    const invoke: typeof reviewer.invoke = async (...args) => ({
      ...(await reviewer.invoke(...args)),
      ...(turns.length < 3 && { text: "ISSUE:\nSEVERITY: major\nDESCRIPTION: more is needed\n" }),
    });
    return { coder, reviewer: { ...reviewer, invoke } };
  };
  expect((await place.apply(work, { optionsOf })).reason).toBe("waiting");
  expect(warnings(place).at(-1)).toMatch(/^its work tree \S+ is gone: a resume makes it again$/u);
  place.git("worktree", "prune");
  place.git("gc", "--quiet", "--prune=now");
  expect((await place.apply(work, { optionsOf })).reason).toBe("done");
  expect(turns).toEqual([[], ["1.txt"], ["1.txt"]]);
  expect(filesOf(place)).toEqual(["1.txt", "3.txt"]);
});

test("a second engine is refused, and one of another nebula lands beside it", async () => {
  const place = aRepository();
  const other = join(place.root, "other");
  write(other, { "nebula.toml": MANIFEST.replace("demo", "other"), "b.md": phase("c") });
  const { reason } = await place.apply(
    during(async () => {
      await expect(resume(place)).rejects.toMatchObject({
        code: "ERR_LOCKED",
        message: expect.stringContaining(`process ${process.pid}`) as string,
      });
      const work: Work = { "Phase c": (tree) => write(tree, { "c.txt": "c\n" }) };
      const beside = await place.apply(work, { loaded: loadNebula(other), resumed: undefined });
      expect(beside.reason).toBe("done");
    }),
  );
  expect(reason).toBe("done");
  expect(filesOf(place)).toEqual(["a.txt", "b.txt", "mine.txt"]);
  const names = place.git("ls-tree", "--name-only", "nebula/other").split("\n");
  expect(names).toEqual(["c.txt", "mine.txt"]);
});

test("a repository that was moved with its nebula's folder is worked on where it is", async () => {
  const gated = { ...IN_ORDER, "a.md": phase("a", 'gate = "review"') };
  const place = aPlace({ ...prefixed("n", gated), "mine.txt": "mine\n" }, IN_ORDER);
  const before = join(place.repo, "n");
  await place.apply(WRITES_BOTH, { loaded: loadNebula(before), resumed: undefined });
  const repo = join(place.root, "moved");
  renameSync(place.repo, repo);
  const repository = await openRepository(repo);
  const dir = join(repo, "n");
  expect(unfinishedOf(repository.commonDir, dir)).toBeUndefined();
  expect(unfinishedOf(repository.commonDir, dir, "another")).toBeUndefined();
  const found = unfinishedOf(repository.commonDir, dir, "demo");
  expect(found?.phases[0]?.status).toBe("awaiting_human");
});

function prefixed(folder: string, files: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]),
  );
}
