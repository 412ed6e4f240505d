import type { CommitSetup } from "@quasar/git/setup";
import { expect, test } from "vitest";
import { gitFindings, type TreeFacts } from "./git.ts";
import { signingFinding } from "./signing.ts";

const SETUP: CommitSetup = {
  unsetIdentity: [],
  standIn: { name: "Quasar", email: "quasar@localhost" },
  unmerged: [],
  isShallow: false,
  signing: undefined,
  hooks: { path: "/r/.git/hooks", isConfigured: false, isThere: true, active: [], inactive: [] },
  lfs: { files: 0, isInstalled: false },
};

const TREE: TreeFacts = {
  root: "/r",
  head: "a".repeat(40),
  branch: "main",
  setup: SETUP,
  signing: undefined,
  hasLfs: false,
};

const setup = (change: Partial<CommitSetup>): Partial<TreeFacts> => {
  return { setup: { ...SETUP, ...change } };
};

const OK = { check: "git", state: "ok", message: "2.47.3, on branch main", next: [] };

test("a work tree with nothing in the way is one line", () => {
  expect(gitFindings({ version: "2.47.3", tree: TREE })).toEqual([OK]);
  expect(gitFindings({ version: "2.47.3", tree: undefined })).toMatchObject([
    { message: "2.47.3" },
  ]);
});

test.for([
  ["2.37.9", "problem"],
  ["1.9", "problem"],
  ["2.38.0", "ok"],
  ["3.0", "ok"],
  ["", "ok"],
] as const)("git %s: %s", ([version, state]) => {
  expect(gitFindings({ version, tree: undefined })).toMatchObject([{ check: "git", state }]);
});

test.for([
  [
    "no commit",
    { head: "" },
    {
      check: "branch",
      state: "problem",
      next: ["git add -A && git commit --allow-empty -m start"],
    },
  ],
  ["a detached HEAD", { branch: undefined }, { check: "branch", state: "warning" }],
  [
    "conflicts",
    setup({ unmerged: ["a.txt", "b.txt"] }),
    {
      check: "index",
      state: "problem",
      message: "a.txt and 1 other file: conflicts are not resolved, and git commits nothing before",
    },
  ],
  [
    "a shallow clone",
    setup({ isShallow: true }),
    { state: "warning", next: ["git fetch --unshallow"] },
  ],
  [
    "nobody's name",
    setup({ unsetIdentity: ["user.name", "user.email"] }),
    {
      check: "identity",
      state: "warning",
      message: "user.name and user.email are not set: commits are by Quasar <quasar@localhost>",
      next: [
        'git config --global user.name "Your Name"',
        "git config --global user.email you@example.com",
      ],
    },
  ],
  [
    "git hooks",
    setup({ hooks: { ...SETUP.hooks, active: ["pre-commit", "commit-msg"] } }),
    {
      check: "hooks",
      state: "ok",
      message: "at each commit: pre-commit, commit-msg (/r/.git/hooks)",
    },
  ],
  [
    "a git hook that may not be executed",
    setup({ hooks: { ...SETUP.hooks, inactive: ["pre-commit"] } }),
    { check: "hooks", state: "warning", next: ["chmod +x /r/.git/hooks/pre-commit"] },
  ],
  [
    "a folder of git hooks that is not there",
    setup({ hooks: { ...SETUP.hooks, path: "/no", isConfigured: true, isThere: false } }),
    { check: "hooks", state: "warning" },
  ],
  [
    "files under Git LFS without its program, which git would start",
    setup({ lfs: { files: 2, isInstalled: true } }),
    { check: "lfs", state: "problem" },
  ],
  [
    "files under Git LFS that is not set up",
    { ...setup({ lfs: { files: 2, isInstalled: false } }), hasLfs: true },
    { check: "lfs", state: "warning", next: ["git lfs install && git lfs pull"] },
  ],
  [
    "files under Git LFS",
    { ...setup({ lfs: { files: 2, isInstalled: true } }), hasLfs: true },
    { check: "lfs", state: "ok" },
  ],
] as const)("a work tree with %s", ([, change, finding]) => {
  const [, found, ...others] = gitFindings({ version: "2.47.3", tree: { ...TREE, ...change } });
  expect(found).toMatchObject(finding);
  expect(others).toEqual([]);
});

const SIGNING = {
  format: "ssh",
  key: "~/.ssh/id",
  hasKeyCommand: false,
  program: "ssh-keygen",
  hasProgram: true,
  keyState: "here",
} as const;

test.for([
  [{}, "ok", "commits are signed (ssh, ~/.ssh/id)"],
  [
    { keyState: "missing" },
    "problem",
    "commits are to be signed, and the key ~/.ssh/id is not here (ssh)",
  ],
  [
    { keyState: "missing", key: undefined },
    "problem",
    "commits are to be signed, and no key is set (ssh)",
  ],
  [
    { keyState: "unknown" },
    "unknown",
    "commits are signed (ssh, ~/.ssh/id); a run tries first whether the key works",
  ],
  [
    { hasProgram: false },
    "problem",
    "commits are to be signed, and there is no program ssh-keygen",
  ],
] as const)("signing with %j", ([change, state, message]) => {
  expect(signingFinding({ ...SIGNING, ...change })).toMatchObject({ state, message });
});
