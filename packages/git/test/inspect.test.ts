import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inspectRepository, type RepositoryFacts } from "../src/inspect.ts";
import { openRepository } from "../src/repository.ts";
import {
  aFolder,
  anEmptyRepository,
  aRepository,
  failureCode,
  git,
  headOf,
  traced,
  tryGit,
  write,
} from "./fixture.ts";

type Scene = (root: string, since: string) => unknown;
type Row = readonly [name: string, scene: Scene, facts: Partial<RepositoryFacts>];

const commit = (root: string, subject: string): string =>
  git(root, "commit", "-q", "--allow-empty", "-m", subject);

/** Two branches that change the same line, HEAD on `main`. */
function conflicting(root: string): void {
  git(root, "checkout", "-q", "-b", "side");
  write(root, "a.txt", "side\n");
  git(root, "commit", "-qam", "side");
  git(root, "checkout", "-q", "main");
  write(root, "a.txt", "main\n");
  git(root, "commit", "-qam", "main");
}

const ROWS: readonly Row[] = [
  ["nothing", () => undefined, { relation: "same", branch: "main", dirty: [] }],
  ["a commit", (root) => commit(root, "x"), { relation: "ahead" }],
  ["a reset", (root) => git(root, "reset", "-q", "--hard", "HEAD~1"), { relation: "behind" }],
  [
    "an amended commit",
    (root) => git(root, "commit", "-q", "--amend", "--allow-empty", "-m", "other"),
    { relation: "diverged" },
  ],
  [
    "a history of its own",
    (root) => {
      git(root, "checkout", "-q", "--orphan", "new");
      commit(root, "root");
    },
    { relation: "diverged", branch: "new" },
  ],
  [
    "a branch without a commit",
    (root) => git(root, "checkout", "-q", "--orphan", "new"),
    { relation: "unborn", isUnborn: true, head: "", branch: "new" },
  ],
  [
    "HEAD on no branch",
    (root) => git(root, "checkout", "-q", "--detach"),
    { relation: "same", isDetached: true, branch: undefined },
  ],
  [
    "a file changed, one not tracked",
    (root) => {
      write(root, "a.txt", "changed\n");
      write(root, "new", "");
    },
    {
      relation: "same",
      dirty: [
        { path: "a.txt", status: ".M" },
        { path: "new", status: "??" },
      ],
    },
  ],
  [
    "a commit that is lost",
    (root, since) => {
      git(root, "reset", "-q", "--hard", "HEAD~1");
      rmSync(join(root, ".git/objects", since.slice(0, 2), since.slice(2)));
    },
    { relation: "commit-lost", commits: [] },
  ],
  [
    "the commit of HEAD lost",
    (root, since) => rmSync(join(root, ".git/objects", since.slice(0, 2), since.slice(2))),
    { relation: "commit-lost", head: "", isUnborn: false, isDetached: false },
  ],
  [
    "a merge",
    (root) => {
      conflicting(root);
      tryGit(root, "merge", "side");
    },
    { relation: "ahead", operation: "merge" },
  ],
  [
    "a rebase",
    (root) => {
      conflicting(root);
      tryGit(root, "rebase", "side");
    },
    { operation: "rebase", isDetached: true },
  ],
  [
    "a cherry-pick",
    (root) => {
      conflicting(root);
      tryGit(root, "cherry-pick", "side");
    },
    { operation: "cherry-pick" },
  ],
  [
    "a revert",
    (root) => {
      conflicting(root);
      write(root, "a.txt", "again\n");
      git(root, "commit", "-qam", "again");
      tryGit(root, "revert", "--no-edit", "HEAD~1");
    },
    { operation: "revert" },
  ],
  [
    "a bisection",
    (root) => {
      git(root, "bisect", "start", "HEAD", "HEAD~1");
    },
    { operation: "bisect" },
  ],
  [
    "patches that are applied",
    (root) => {
      conflicting(root);
      const patch = git(root, "format-patch", "-1", "-o", aFolder(), "side").trim();
      tryGit(root, "am", patch);
    },
    { operation: "am" },
  ],
];

test.for(ROWS)("finds %s since a commit", async ([, scene, facts]) => {
  const root = aRepository();
  commit(root, "second");
  const since = headOf(root);
  scene(root, since);
  const found = await inspectRepository(root, { since });
  expect(found).toMatchObject(facts);
  if (found.head !== "") expect(found.head).toBe(headOf(root));
});

test("does not know a commit of another repository", async () => {
  const facts = await inspectRepository(aRepository(), { since: "1".repeat(40) });
  expect(facts).toMatchObject({ relation: "unknown-commit", commits: [] });
});

test("knows where nothing was and nothing is, and what came since", async () => {
  const root = anEmptyRepository();
  expect(await inspectRepository(root, { since: "" })).toMatchObject({
    relation: "same",
    isUnborn: true,
  });
  write(root, "a", "");
  git(root, "add", "-A");
  commit(root, "first");
  const facts = await inspectRepository(root, { since: "" });
  expect(facts).toMatchObject({ relation: "ahead", commits: [{ subject: "first" }] });
});

test("tells the commits since, oldest first, with what made them", async () => {
  const root = aRepository();
  const since = headOf(root);
  process.env["GIT_REFLOG_ACTION"] = "quasar:r/1";
  commit(root, "one\n\nQuasar-Turn: r.1");
  delete process.env["GIT_REFLOG_ACTION"];
  commit(root, "two");
  const { commits, actions } = await inspectRepository(root, { since });
  expect(commits.map(({ subject }) => subject)).toEqual(["one", "two"]);
  expect(commits[0]?.trailers.get("Quasar-Turn")).toEqual(["r.1"]);
  expect(commits.map(({ sha }) => actions.get(sha))).toEqual(["quasar:r/1", "commit"]);
});

test("cannot say how a history continues that was cut off", async () => {
  const origin = aRepository();
  commit(origin, "second");
  commit(origin, "third");
  git(origin, "checkout", "-q", "-b", "side", "HEAD~1");
  commit(origin, "side");
  const root = join(aFolder(), "clone");
  git(origin, "clone", "-q", "--depth=1", "--no-single-branch", `file://${origin}`, root);
  const at = (rev: string): string => git(root, "rev-parse", rev).trim();
  const facts = await inspectRepository(root, { since: at("origin/main") });
  expect(facts).toMatchObject({ relation: "undecidable", isShallow: true });
  commit(root, "on top");
  const ahead = await inspectRepository(root, { since: at("HEAD~1") });
  expect(ahead).toMatchObject({ relation: "ahead", isShallow: true });
});

test("names a bare repository, and refuses no repository", async () => {
  const bare = anEmptyRepository(aFolder(), "--bare");
  expect(await inspectRepository(bare, { since: "" })).toMatchObject({ isBare: true });
  expect(await failureCode(inspectRepository(aFolder(), { since: "" }))).toBe(
    "ERR_NOT_A_REPOSITORY",
  );
});

test("starts a process for the repository, two for the tree, one for a HEAD that moved, one for commits", async () => {
  const root = aRepository();
  const since = headOf(root);
  expect(await traced(() => inspectRepository(root, { since }))).toHaveLength(3);
  commit(root, "x");
  const moved = await traced(() => inspectRepository(root, { since }));
  expect(moved).toHaveLength(5);
  git(root, "reset", "-q", "--hard", "HEAD~1");
  expect(await traced(() => inspectRepository(root, { since: "1".repeat(40) }))).toHaveLength(4);
});

test("asks nothing again of the repository that its caller has just opened", async () => {
  const root = aRepository();
  const known = { since: headOf(root), repository: await openRepository(root) };
  expect(await traced(() => inspectRepository(root, known))).toHaveLength(2);
  expect(await inspectRepository(root, known)).toEqual(
    await inspectRepository(root, { since: known.since }),
  );
});

test("refuses what is no commit id, whatever HEAD is", async () => {
  const looking = inspectRepository(anEmptyRepository(), { since: "HEAD" });
  expect(await failureCode(looking)).toBe("ERR_BAD_REVISION");
});
