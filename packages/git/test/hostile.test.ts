import { appendFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitVersion, inspectCommitSetup } from "../src/commit-setup.ts";
import { commitAll } from "../src/commit.ts";
import { currentBranch, currentGitSha, currentHead, isAncestor } from "../src/head.ts";
import { changedPaths, logRange, readCommit, reflogActions } from "../src/history.ts";
import { hooksFolder } from "../src/hooks.ts";
import { inspectRepository } from "../src/inspect.ts";
import { remoteUrl } from "../src/push.ts";
import { pushTarget, remoteBranches } from "../src/remotes.ts";
import { openRepository } from "../src/repository.ts";
import { restoreSnapshot } from "../src/restore.ts";
import { listSnapshots, takeSnapshot } from "../src/snapshots.ts";
import { dirtyPaths } from "../src/status.ts";
import { workTreeId } from "../src/work-tree-id.ts";
import {
  aCanary,
  aFolder,
  aRepository,
  failureCode,
  git,
  headOf,
  read,
  script,
  tryGit,
  write,
} from "./fixture.ts";

/** Every question that the package can ask; how it ends is not the point here. */
async function askEverything(workTree: string, sha: string): Promise<void> {
  await Promise.allSettled([
    openRepository(workTree),
    currentGitSha(workTree),
    currentBranch(workTree),
    currentHead(workTree),
    dirtyPaths(workTree),
    isAncestor(workTree, sha, sha),
    isAncestor(workTree, "0".repeat(40), sha),
    logRange(workTree),
    reflogActions(workTree),
    changedPaths(workTree, "", sha),
    changedPaths(workTree, sha, sha),
    inspectRepository(workTree, { since: sha }),
    listSnapshots(workTree, PREFIX),
    openRepository(workTree).then((repository) => hooksFolder(repository)),
    openRepository(workTree).then((repository) => inspectCommitSetup(repository)),
    gitVersion(workTree),
    readCommit(workTree, sha),
    remoteBranches(workTree),
    pushTarget(workTree, "main"),
    workTreeId(workTree),
    remoteUrl(workTree, "origin"),
    keepAndBringBack(workTree, sha),
  ]);
}

const PREFIX = "refs/quasar/r/";

/** Nobody asked for a snapshot, so nothing of the repository's may run for it either. */
async function keepAndBringBack(workTree: string, sha: string): Promise<void> {
  await takeSnapshot(workTree, { prefix: PREFIX, message: "m" });
  await restoreSnapshot(workTree, { from: sha, prefix: PREFIX, message: "m" });
}

/** Makes git unsure whether the file is as it was, so that it reads the contents. */
function touch(root: string, path = "a.txt"): void {
  utimesSync(join(root, path), new Date(1e12), new Date(1e12));
}

function filtered(root: string, name: string, attributes: string, key: string, run: string): void {
  write(root, attributes, `*.txt filter=${name}\n`);
  git(root, "config", `filter.${name}.${key}`, run);
  git(root, "config", `filter.${name}.required`, "true");
}

/** Takes the object of HEAD away from a repository that says where to fetch it. */
function lostObject(root: string, settings: Readonly<Record<string, string>>): void {
  const sha = headOf(root);
  rmSync(join(root, ".git/objects", sha.slice(0, 2), sha.slice(2)));
  git(root, "config", "core.repositoryFormatVersion", "1");
  const promisor = { "extensions.partialClone": "origin", "remote.origin.promisor": "true" };
  for (const [name, value] of Object.entries({ ...promisor, ...settings })) {
    git(root, "config", name, value);
  }
}

/** What a trap does, and the git command, run plainly, that falls into it. */
type Trap = readonly [
  name: string,
  lay: (root: string, program: string) => void,
  control: readonly string[],
];

const TRAPS: readonly Trap[] = [
  ["core.fsmonitor", (root, program) => git(root, "config", "core.fsmonitor", program), ["status"]],
  [
    "a post-index-change hook",
    (root, program) => {
      script(root, ".git/hooks/post-index-change", program);
      touch(root);
    },
    ["status"],
  ],
  [
    "core.hooksPath",
    (root, program) => {
      script(root, "evil/post-index-change", program);
      git(root, "config", "core.hooksPath", "evil");
      touch(root);
    },
    ["status"],
  ],
  [
    "filter.*.clean",
    (root, program) => {
      filtered(root, "evil", ".gitattributes", "clean", program);
      touch(root);
    },
    ["status"],
  ],
  [
    "filter.*.process",
    (root, program) => {
      filtered(root, "evil", ".gitattributes", "process", program);
      touch(root);
    },
    ["status"],
  ],
  [
    "a filter that .git/info/attributes names",
    (root, program) => {
      filtered(root, "evil", ".git/info/attributes", "clean", program);
      touch(root);
    },
    ["status"],
  ],
  [
    "a filter that the attributes of a folder name",
    (root, program) => {
      write(root, "deep/er/b.txt", "two\n");
      git(root, "add", "-A");
      git(root, "commit", "-qm", "second");
      filtered(root, "evil", "deep/.gitattributes", "clean", program);
      touch(root, "deep/er/b.txt");
    },
    ["status"],
  ],
  [
    "a filter whose name has dots, quotes, an equals sign and capitals",
    (root, program) => {
      filtered(root, 'A.b=c"d\\e.process', ".git/info/attributes", "clean", program);
      touch(root);
    },
    ["status"],
  ],
  [
    "a filter without a name",
    (root, program) => {
      write(root, ".git/info/attributes", "*.txt filter=\n");
      appendFileSync(join(root, ".git/config"), `[filter ""]\n\tclean = ${program}\n`);
      touch(root);
    },
    ["status"],
  ],
  [
    "a filter in an included file of configuration",
    (root, program) => {
      write(root, ".git/info/attributes", "*.txt filter=evil\n");
      write(root, "more", `[filter "evil"]\n\tclean = ${program}\n`);
      git(root, "config", "include.path", "../more");
      touch(root);
    },
    ["status"],
  ],
  [
    "diff.external",
    (root, program) => {
      git(root, "config", "diff.external", program);
      write(root, "a.txt", "changed\n");
    },
    ["diff"],
  ],
  [
    "a diff driver's textconv",
    (root, program) => {
      write(root, ".gitattributes", "*.txt diff=evil\n");
      git(root, "config", "diff.evil.textconv", program);
      write(root, "a.txt", "changed\n");
    },
    ["diff"],
  ],
  [
    "gpg.program by log.showSignature",
    (root, program) => {
      signed(root);
      git(root, "config", "log.showSignature", "true");
      git(root, "config", "gpg.program", program);
    },
    ["log", "-1"],
  ],
  [
    "core.sshCommand by a missing object",
    (root, program) =>
      lostObject(root, {
        "remote.origin.url": "ssh://localhost/x",
        "core.sshCommand": program,
      }),
    ["rev-parse", "--verify", "HEAD^{commit}"],
  ],
  [
    "a remote's uploadpack by a missing object",
    (root, program) =>
      lostObject(root, { "remote.origin.url": root, "remote.origin.uploadpack": program }),
    ["rev-parse", "--verify", "HEAD^{commit}"],
  ],
  [
    "a submodule's configuration",
    (root, program) => {
      git(root, "submodule", "--quiet", "add", aRepository(), "sub");
      git(root, "commit", "-qm", "submodule");
      git(join(root, "sub"), "config", "core.fsmonitor", program);
      filtered(join(root, "sub"), "evil", ".gitattributes", "clean", program);
      touch(join(root, "sub"));
    },
    ["status"],
  ],
];

/** Makes HEAD a commit with a signature, so that git would have it verified. */
function signed(root: string): void {
  const [head = "", body = ""] = git(root, "cat-file", "commit", "HEAD").split("\n\n");
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
  const file = write(root, "commit", `${head}\n${signature}\n\n${body}`);
  const sha = git(root, "hash-object", "-t", "commit", "-w", file).trim();
  git(root, "reset", "-q", "--soft", sha);
  rmSync(file);
}

test.for(TRAPS)("starts nothing of %s when it reads", async ([, lay, control]) => {
  const root = aRepository();
  const sha = headOf(root);
  const canary = aCanary();
  lay(root, canary.program);
  tryGit(root, ...control);
  expect(canary.sang(), "git itself falls into the trap").toBe(true);
  rearm(root);
  await askEverything(root, sha);
  expect(canary.sang()).toBe(false);
});

/** The control may have refreshed the index; what was touched is to look touched again. */
function rearm(root: string): void {
  for (const path of ["a.txt", "deep/er/b.txt", "sub/a.txt"]) {
    try {
      utimesSync(join(root, path), new Date(2e12), new Date(2e12));
    } catch {
      // Not every trap has the file.
    }
  }
}

test("does not take a bare repository inside the work tree for one", async () => {
  const root = aRepository();
  const canary = aCanary();
  const inner = join(root, "inner");
  git(root, "init", "-q", "--bare", inner);
  git(inner, "config", "core.bare", "false");
  git(inner, "config", "core.worktree", aFolder());
  git(inner, "config", "core.fsmonitor", canary.program);
  tryGit(inner, "status");
  expect(canary.sang(), "git itself falls into the trap").toBe(true);
  await askEverything(inner, headOf(root));
  expect(canary.sang()).toBe(false);
  expect(await failureCode(currentGitSha(inner))).toBe("ERR_NOT_A_REPOSITORY");
});

test.for([
  ["the folder around it", "../.."],
  ["all there is", "/"],
  ["a folder of its own", "../sub"],
] as const)("refuses a work tree that core.worktree makes %s", async ([, place]) => {
  const root = aRepository(join(aFolder(), "r"));
  write(root, "sub/b", "");
  git(root, "config", "core.worktree", place);
  for (const workTree of [root, join(root, "sub")]) {
    const refused = "ERR_FOREIGN_WORK_TREE";
    expect(await failureCode(openRepository(workTree))).toBe(refused);
    expect(await failureCode(dirtyPaths(workTree))).toBe(refused);
    expect(await failureCode(commitAll(workTree, { subject: "all" }))).toBe(refused);
  }
});

test("accepts a core.worktree that says where the work tree is anyway", async () => {
  const root = aRepository();
  git(root, "config", "core.worktree", root);
  write(root, "b", "");
  expect(await dirtyPaths(root)).toEqual([{ path: "b", status: "??" }]);
  expect((await openRepository(root)).root).toBe(root);
});

test("does not let replaced objects change what a commit's parents are", async () => {
  const root = aRepository();
  const first = headOf(root);
  git(root, "commit", "-q", "--allow-empty", "-m", "second");
  git(root, "replace", "--graft", "HEAD");
  expect(await isAncestor(root, first, headOf(root))).toBe(true);
});

test.for([
  "--output=leak",
  "-n",
  "main",
  "HEAD~1",
  "HEAD --output=leak",
  "refs/heads/../../x",
  "refs/heads/a..b",
  "abc123",
  "",
  `${"a".repeat(40)}\n`,
])("refuses %j as a revision", async (revision) => {
  const root = aRepository();
  expect(await failureCode(logRange(root, { to: revision }))).toBe("ERR_BAD_REVISION");
  expect(await failureCode(logRange(root, { from: revision }))).toBe("ERR_BAD_REVISION");
  expect(await failureCode(isAncestor(root, revision, headOf(root)))).toBe("ERR_BAD_REVISION");
  expect(git(root, "status", "--porcelain")).toBe("");
});

test("reads history by a full name where a branch looks like an option", async () => {
  const root = aRepository();
  git(root, "update-ref", "refs/heads/-n", "HEAD");
  expect(await logRange(root, { to: "refs/heads/-n" })).toHaveLength(1);
});

test("is not steered by the variables of a git hook's environment", async () => {
  const other = aRepository();
  git(other, "commit", "-q", "--allow-empty", "-m", "second");
  const root = aRepository();
  write(root, "b", "");
  const leak = {
    GIT_DIR: join(other, ".git"),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(other, ".git/index"),
    GIT_OBJECT_DIRECTORY: join(other, ".git/objects"),
    GIT_CONFIG_PARAMETERS: "'core.bare=true'",
    GIT_CONFIG_COUNT: "nonsense",
    GIT_CEILING_DIRECTORIES: root,
    GIT_TRACE: join(other, "trace"),
    GIT_LITERAL_PATHSPECS: "1",
  };
  const head = headOf(root);
  Object.assign(process.env, leak);
  try {
    expect(await currentGitSha(root)).toBe(head);
    expect(await dirtyPaths(root)).toEqual([{ path: "b", status: "??" }]);
    expect((await openRepository(root)).root).toBe(root);
    expect((await commitAll(root, { subject: "here" }))?.sha).toMatch(/^[0-9a-f]{40}$/);
  } finally {
    for (const name of Object.keys(leak)) delete process.env[name];
  }
  expect(git(root, "log", "--format=%s")).toBe("here\nfirst\n");
  expect(git(other, "log", "--format=%s")).toBe("second\nfirst\n");
});

test("does not write when it reads", async () => {
  const root = aRepository();
  touch(root);
  const index = join(root, ".git/index");
  const before = read(root, ".git/index");
  await askEverything(root, headOf(root));
  expect(read(root, ".git/index")).toBe(before);
  writeFileSync(`${index}.lock`, "");
  expect(await dirtyPaths(root)).toEqual([]);
});
