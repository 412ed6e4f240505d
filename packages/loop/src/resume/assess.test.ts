import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Commit, inspectRepository, type RepositoryFacts } from "@quasar/git";
import { describe, expect, test, vi } from "vitest";
import { aCheckpoint, aTurn } from "../../test/fixtures.ts";
import { aFolder, aWorkTree } from "../../test/harness.ts";
import type { WorkTree } from "../../test/work-tree.ts";
import { assessResume, type HeadVerdict, type LeftRun, remainingRefusals } from "./assess.ts";

const OWN = ["Quasar-Task: t-1", "Quasar-Cycle: 1", "Quasar-Turn: run.1"].join("\n");

function commit(tree: WorkTree, subject: string, trailers = "", action?: string): void {
  tree.write("work.txt", `${subject}\n`);
  tree.git("add", "-A");
  vi.stubEnv("GIT_REFLOG_ACTION", action);
  tree.git("commit", "-q", "-m", subject, ...(trailers === "" ? [] : ["-m", trailers]));
  vi.unstubAllEnvs();
}

function attempt(tree: WorkTree, ...args: readonly string[]): void {
  expect(() => tree.git(...args)).toThrow("Command failed");
}

const remove = (tree: WorkTree, sha: string): void =>
  rmSync(join(tree.dir, ".git/objects", sha.slice(0, 2), sha.slice(2)));

/** What happens to a work tree after the run's last save; the save is of its second commit. */
type Scene = (tree: WorkTree, saved: string) => unknown;

const HEADS: readonly (readonly [verdict: HeadVerdict, name: string, scene: Scene])[] = [
  ["same", "nothing", () => undefined],
  ["ahead-own", "a commit of the run's", (tree) => commit(tree, "cycle", OWN)],
  ["ahead-own", "a commit of its agent's", (tree) => commit(tree, "wip", "", "quasar:run/1")],
  ["ahead-foreign", "a commit of somebody's", (tree) => commit(tree, "mine")],
  ["ahead-foreign", "a commit of another run's agent", (t) => commit(t, "x", "", "quasar:run2/1")],
  [
    "ahead-foreign",
    "a merge",
    (tree) => {
      tree.git("checkout", "-q", "-b", "side");
      commit(tree, "side", OWN);
      tree.git("checkout", "-q", "main");
      tree.git("merge", "-q", "--no-ff", "-m", `merged\n\n${OWN}`, "side");
    },
  ],
  ["behind", "a reset", (tree) => tree.git("reset", "-q", "--hard", "HEAD~1")],
  ["diverged", "an amended commit", (t) => t.git("commit", "-q", "--amend", "-m", "other")],
  [
    "commit-lost",
    "a lost commit",
    (tree, saved) => {
      tree.git("reset", "-q", "--hard", "HEAD~1");
      remove(tree, saved);
    },
  ],
  [
    "unborn",
    "a branch without a commit",
    (tree) => {
      tree.git("checkout", "-q", "--orphan", "new");
      tree.git("branch", "-q", "-m", "main", "old");
      tree.git("symbolic-ref", "HEAD", "refs/heads/main");
      tree.git("rm", "-q", "-rf", ".");
    },
  ],
];

/** What is refused for what HEAD is, and how that can be overridden. */
const HEAD_REFUSED: Readonly<Record<HeadVerdict, boolean>> = {
  same: false,
  "ahead-own": false,
  bare: false,
  "ahead-foreign": true,
  behind: true,
  diverged: true,
  "unknown-commit": true,
  "commit-lost": true,
  undecidable: true,
  unborn: true,
  "no-repository": true,
};

async function assessed(
  tree: WorkTree,
  gitSha: string,
  run: Partial<LeftRun> = {},
  change: Parameters<typeof aCheckpoint>[0] = {},
) {
  const checkpoint = aCheckpoint({ gitSha, ...change });
  const facts = await inspectRepository(tree.dir, { since: gitSha });
  return assessResume(facts, { checkpoint, branch: "main", ...run });
}

function aSavedTree(): { tree: WorkTree; saved: string } {
  const tree = aWorkTree();
  commit(tree, "saved");
  return { tree, saved: tree.head() };
}

describe("after a save, in a real repository,", () => {
  test.for(HEADS)("it is %s after %s, clean or dirty", async ([verdict, , scene]) => {
    const { tree, saved } = aSavedTree();
    scene(tree, saved);
    const head = HEAD_REFUSED[verdict] ? ["head"] : [];
    const reviewed = { turn: aTurn({ id: "run.2", role: "reviewer" }) } as const;
    const clean = await assessed(tree, saved, {}, reviewed);
    expect(clean).toMatchObject({ verdict, headVerdict: verdict, dirty: { whose: "nobody" } });
    expect(clean.refusals.map(({ check }) => check)).toEqual(head);
    tree.write("notes.txt", "mine");
    const dirty = await assessed(tree, saved, {}, reviewed);
    expect(dirty).toMatchObject({ verdict, dirty: { whose: "user", paths: ["notes.txt"] } });
    expect(dirty.refusals.map(({ check }) => check)).toEqual([...head, "dirty"]);
    const accepted = new Set(["accept-head", "accept-dirty"] as const);
    expect(remainingRefusals(dirty, accepted)).toEqual([]);
    expect(remainingRefusals(dirty, new Set(["accept-dirty"]))).toHaveLength(head.length);
  });

  test("a HEAD that cannot be read is on no other branch, and cannot be accepted", async () => {
    const { tree, saved } = aSavedTree();
    rmSync(join(tree.dir, ".git/objects", saved.slice(0, 2), saved.slice(2)));
    const { verdict, refusals } = await assessed(tree, saved);
    expect(verdict).toBe("commit-lost");
    expect(refusals).toMatchObject([{ check: "head", override: undefined, advice: "git fsck" }]);
  });

  test("own commits are named, those of its agents apart", async () => {
    const { tree, saved } = aSavedTree();
    commit(tree, "wip", "", "quasar:run/1");
    commit(tree, "cycle", OWN);
    const { adopted, byAgents, foreign } = await assessed(tree, saved);
    expect(adopted.map(({ subject }) => subject)).toEqual(["cycle"]);
    expect(byAgents.map(({ subject }) => subject)).toEqual(["wip"]);
    expect(foreign).toEqual([]);
  });

  test("another branch is refused by itself, be HEAD as it was or not", async () => {
    const { tree, saved } = aSavedTree();
    tree.git("checkout", "-q", "-b", "other");
    const same = await assessed(tree, saved);
    expect(same).toMatchObject({ verdict: "other-branch", headVerdict: "same" });
    expect(same.refusals).toMatchObject([{ check: "branch", override: "accept-branch" }]);
    commit(tree, "mine");
    const foreign = await assessed(tree, saved);
    expect(foreign).toMatchObject({ verdict: "other-branch", headVerdict: "ahead-foreign" });
    expect(foreign.refusals.map(({ check }) => check)).toEqual(["branch", "head"]);
    tree.git("checkout", "-q", "--detach", saved);
    expect(await assessed(tree, saved)).toMatchObject({
      verdict: "other-branch",
      isDetached: true,
    });
    expect(await assessed(tree, saved, { branch: "" })).toMatchObject({ verdict: "same" });
    expect(await assessed(tree, saved, { branch: undefined })).toMatchObject({ verdict: "same" });
  });

  test.for<[string, string]>([
    ["feature/one", "git switch feature/one"],
    ["x$(touch${IFS}x);'y", "git switch 'x$(touch${IFS}x);'\\''y'"],
  ])("the way back to branch %s can be typed in a shell", async ([branch, advice]) => {
    const { tree, saved } = aSavedTree();
    tree.git("checkout", "-q", "-b", branch);
    tree.git("checkout", "-q", "-b", "other");
    const { refusals } = await assessed(tree, saved, { branch });
    expect(refusals).toMatchObject([{ check: "branch", advice }]);
    execFileSync("sh", ["-c", refusals[0]?.advice ?? ""], { cwd: tree.dir, stdio: "ignore" });
    expect(tree.git("symbolic-ref", "--short", "HEAD").trim()).toBe(branch);
  });

  test("a commit of another repository is unknown", async () => {
    const { tree } = aSavedTree();
    const { verdict, refusals } = await assessed(tree, "1".repeat(40));
    expect(verdict).toBe("unknown-commit");
    expect(refusals).toMatchObject([{ check: "head", override: "accept-head" }]);
  });

  test("a history that was cut off decides nothing, but is no hindrance to what it shows", async () => {
    const { tree, saved } = aSavedTree();
    tree.git("checkout", "-q", "-b", "side", "HEAD~1");
    tree.git("commit", "-q", "--allow-empty", "-m", "side");
    const dir = join(aFolder(), "clone");
    const url = `file://${tree.dir}`;
    tree.git("clone", "-q", "--depth=1", "--no-single-branch", url, dir);
    const clone: WorkTree = {
      ...tree,
      dir,
      git: (...args) => execFileSync("git", args, { cwd: dir, encoding: "utf8" }),
    };
    expect(await assessed(clone, saved, { branch: "side" })).toMatchObject({
      verdict: "undecidable",
      isShallow: true,
      refusals: [{ check: "head", advice: "git fetch --unshallow" }],
    });
    clone.git("checkout", "-q", "main");
    expect(await assessed(clone, saved)).toMatchObject({ verdict: "same", refusals: [] });
  });

  test("a bare repository is refused, whatever is said", async () => {
    const { tree, saved } = aSavedTree();
    const dir = join(aFolder(), "bare.git");
    tree.git("clone", "-q", "--bare", tree.dir, dir);
    const { verdict, refusals } = await assessed({ ...tree, dir }, saved);
    expect(verdict).toBe("bare");
    expect(refusals).toMatchObject([{ check: "bare", override: undefined }]);
  });

  test.for([
    ["merge", ["merge", "side"]],
    ["rebase", ["rebase", "side"]],
    ["cherry-pick", ["cherry-pick", "side"]],
    ["revert", ["revert", "--no-edit", "HEAD~1"]],
    ["bisect", ["bisect", "start", "HEAD", "HEAD~1"]],
  ] as const)("a %s in progress is refused unless it is a live agent's", async ([name, args]) => {
    const { tree } = aSavedTree();
    tree.git("checkout", "-q", "-b", "side", "HEAD~1");
    commit(tree, "side");
    tree.git("checkout", "-q", "main");
    commit(tree, "second");
    const saved = tree.head();
    if (name === "bisect") tree.git(...args);
    else attempt(tree, ...args);
    const { operation, refusals } = await assessed(tree, saved);
    expect(operation).toBe(name);
    const refused = refusals.find(({ check }) => check === "operation");
    expect(refused).toMatchObject({ override: undefined, advice: expect.stringContaining(name) });
    const alive = await assessed(tree, saved, { agentIsAlive: true });
    expect(alive.refusals.map(({ check }) => check)).not.toContain("operation");
    expect(alive.dirty.whose).not.toBe("user");
  });

  const coder = aTurn({ id: "run.1", status: "started" });
  const reviewer = aTurn({ id: "run.2", role: "reviewer", status: "started" });
  const CHECKING = { phase: "filtering", turn: aTurn() } as const;
  const SENT_BACK = { phase: "review_complete", filterCheckName: "tests" } as const;
  test.for([
    ["a coder's unfinished turn", { phase: "coding", turn: coder }, "agent"],
    ["a coder's finished turn that is not committed", { phase: "coding", turn: aTurn() }, "agent"],
    ["a coder that fixes lint", { phase: "linting", turn: coder }, "agent"],
    ["a committed turn", { phase: "code_complete", turn: aTurn() }, "checks"],
    [
      "an interrupted check",
      { ...CHECKING, failure: "Interrupted. The run can be resumed." },
      "checks",
    ],
    ["a run that ended at its checks", { ...CHECKING, failure: "no such program" }, "user"],
    ["a reviewer's unfinished turn", { phase: "reviewing", turn: reviewer }, "reviewer"],
    ["a reviewer's turn that failed", { phase: "reviewing", turn: reviewer, failure: "x" }, "user"],
    ["a reviewer's turn", { phase: "reviewing", turn: aTurn({ role: "reviewer" }) }, "user"],
    ["a whole cycle", { phase: "review_complete" }, "user"],
    ["a cycle that a check ended", { ...SENT_BACK, turn: aTurn() }, "checks"],
    [
      "a run that ended after a check",
      { ...SENT_BACK, turn: aTurn(), failure: "no cycles left" },
      "user",
    ],
    ["a cycle under way, as the seed saves it", { phase: "coding" }, "agent"],
    ["checks of what is not committed", { phase: "linting" }, "agent"],
  ] as const)("what is not committed after %s is the %s's", async ([, change, whose]) => {
    const { tree, saved } = aSavedTree();
    tree.write("work.txt", "more");
    expect((await assessed(tree, saved, {}, change)).dirty.whose).toBe(whose);
  });

  test("what is not committed after the coder's commit is that of the checks and git hooks, for none has ended", async () => {
    const { tree, saved } = aSavedTree();
    commit(tree, "cycle", OWN);
    tree.write("notes.txt", "mine");
    const change = { phase: "coding", turn: coder } as const;
    expect((await assessed(tree, saved, {}, change)).dirty.whose).toBe("checks");
  });

  test("a repository within is the run's where the coder has yet to be told of it, also after its end", async () => {
    const { tree, saved } = aSavedTree();
    tree.git("init", "-q", "within");
    const change = { phase: "review_complete", failure: "no cycles left" } as const;
    const isToldNext = { ...change, filterCheckName: "commit" };
    expect((await assessed(tree, saved, {}, isToldNext)).dirty.whose).toBe("nobody");
    expect((await assessed(tree, saved, {}, change)).dirty.paths).toEqual(["within/"]);
  });

  test("what was there before the run, what is half written and what is the product's own is nobody's", async () => {
    const { tree, saved } = aSavedTree();
    tree.write("work.js.tmp.9513.5c2cdf20e48c", "half");
    tree.write("notes.txt", "before");
    tree.git("init", "-q", ".quasar");
    const untouchablePaths = ["notes.txt"];
    const { dirty } = await assessed(tree, saved, {}, { untouchablePaths });
    expect(dirty).toEqual({ whose: "nobody", paths: [] });
  });
});

describe("over all facts that there can be,", () => {
  const RELATIONS = [
    "same",
    "ahead",
    "behind",
    "diverged",
    "unknown-commit",
    "commit-lost",
    "undecidable",
    "unborn",
    "bare",
  ] as const satisfies readonly RepositoryFacts["relation"][];
  const saved = "a".repeat(40);
  const foreign: Commit = {
    sha: "b".repeat(40),
    parents: [saved],
    subject: "evil \u001b[31m \u202e name",
    trailers: new Map(),
  };

  const facts = (change: Partial<RepositoryFacts>): RepositoryFacts => ({
    head: saved,
    branch: "main",
    isUnborn: false,
    isDetached: false,
    isBare: false,
    isShallow: false,
    operation: undefined,
    dirty: [],
    relation: "same",
    commits: [],
    actions: new Map(),
    ...change,
  });

  test.for(RELATIONS)("%s is refused for what it is, and for nothing else", (relation) => {
    let cases = 0;
    for (const dirty of [[], [{ path: "x", status: "??" }]]) {
      for (const operation of [undefined, "merge", "rebase", "bisect", "am"] as const) {
        for (const branch of ["main", "other\u001b", undefined]) {
          for (const agentIsAlive of [false, true]) {
            for (const isShallow of [false, true]) {
              const isBare = relation === "bare";
              const commits = relation === "ahead" ? [foreign] : [];
              const found = facts({
                relation,
                dirty,
                operation,
                branch,
                isShallow,
                isBare,
                commits,
              });
              const checkpoint = aCheckpoint({ gitSha: saved });
              const run = { checkpoint, branch: "main", agentIsAlive };
              const { refusals } = assessResume(found, run);
              expect(refusals.map(({ check }) => check)).toEqual([
                ...(isBare ? ["bare"] : []),
                ...(operation !== undefined && !agentIsAlive ? ["operation"] : []),
                ...(branch !== "main" && !isBare ? ["branch"] : []),
                ...(relation === "same" || isBare ? [] : ["head"]),
                ...(dirty.length > 0 && !agentIsAlive ? ["dirty"] : []),
              ]);
              for (const { check, message, override } of refusals) {
                expect(message).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
                const fixed = check === "bare" || check === "operation";
                expect(override).toBe(fixed ? undefined : `accept-${check}`);
              }
              cases += 1;
            }
          }
        }
      }
    }
    expect(cases).toBe(120);
  });

  test("outside a repository a run continues only where it began so", () => {
    const began = (gitSha: string) =>
      assessResume(undefined, { checkpoint: aCheckpoint({ gitSha }), branch: "main" });
    expect(began("")).toMatchObject({ verdict: "same", refusals: [] });
    expect(began(saved)).toMatchObject({
      verdict: "no-repository",
      refusals: [{ check: "head", override: "accept-head" }],
    });
  });
});
