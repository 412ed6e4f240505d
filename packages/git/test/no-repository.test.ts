import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commitAll } from "../src/commit.ts";
import { currentBranch, currentGitSha, currentHead } from "../src/head.ts";
import { inspectRepository } from "../src/inspect.ts";
import { openRepository } from "../src/repository.ts";
import { dirtyPaths } from "../src/status.ts";
import {
  aFolder,
  anEmptyRepository,
  aRepository,
  failure,
  failureCode,
  git,
  script,
  write,
} from "./fixture.ts";

const ACTS = [
  openRepository,
  currentGitSha,
  currentBranch,
  currentHead,
  dirtyPaths,
  (dir: string) => inspectRepository(dir, { since: "" }),
  (dir: string) => commitAll(dir, { subject: "x" }),
] as const;

/** Sets variables of this process until the test ends. */
function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    process.env[name] = value;
    onTestFinished(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

/** Puts a `git` of our own before the real one on the PATH. */
function replaceGit(body: (real: string) => string): void {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const { PATH = "" } = process.env;
  setVariables({ PATH: `${dirname(script(aFolder(), "git", body(real)))}:${PATH}` });
}

// What git says of EMFILE, ENFILE or EIO on `.git/HEAD`, and of an unreadable `.git/objects`.
const SAYS_NONE = `echo "fatal: not a git repository (or any of the parent directories): .git" >&2; exit 128`;

test("does not believe git that there is no repository where there is a .git", async () => {
  const root = aRepository();
  write(root, "deep/er/b", "");
  replaceGit(() => SAYS_NONE);
  for (const act of ACTS) {
    for (const dir of [root, join(root, "deep/er")]) {
      const { code, path, message } = await failure(act(dir));
      expect(code).toBe("ERR_UNREADABLE_REPOSITORY");
      expect(path).toBe(join(root, ".git"));
      expect(message).toContain("fatal: not a git repository");
    }
  }
  expect(await failureCode(openRepository(aFolder()))).toBe("ERR_NOT_A_REPOSITORY");
});

test.for<readonly [name: string, make: (entry: string) => void, why: string]>([
  ["an empty folder", (entry: string) => mkdirSync(entry), "HEAD"],
  [
    "a git folder without HEAD",
    (entry: string) => {
      git(dirname(entry), "init", "-q");
      rmSync(join(entry, "HEAD"));
    },
    "HEAD",
  ],
  [
    "a git folder without objects",
    (entry: string) => {
      git(dirname(entry), "init", "-q");
      rmSync(join(entry, "objects"), { recursive: true });
    },
    "objects",
  ],
  ["a file of other content", (entry: string) => writeFileSync(entry, "x\n"), "invalid gitfile"],
  [
    "a file that leads nowhere",
    (entry: string) => writeFileSync(entry, "gitdir: /no/where\n"),
    "/no/where",
  ],
  ["a pipe", (entry: string) => void execFileSync("mkfifo", [entry]), "not a git repository"],
])("names a .git that is %s, also inside another repository", async ([, make, why]) => {
  for (const dir of [aFolder(), write(aRepository(), "in/x", "").slice(0, -2)]) {
    make(join(dir, ".git"));
    for (const act of ACTS) {
      const { code, path, message } = await failure(act(dir));
      expect(code).toBe("ERR_UNREADABLE_REPOSITORY");
      expect(path).toBe(join(dir, ".git"));
      expect(message).toContain(why);
    }
  }
});

test("looks for a repository no further up than the user lets git look", async () => {
  const root = aRepository();
  const dir = dirname(write(root, "sub/x", ""));
  setVariables({ GIT_CEILING_DIRECTORIES: `/elsewhere:${root}` });
  expect(await failureCode(openRepository(dir))).toBe("ERR_NOT_A_REPOSITORY");
  expect((await openRepository(root)).root).toBe(root);
});

test("says that it does not follow GIT_DIR where there is no other repository", async () => {
  const root = aRepository();
  setVariables({ GIT_DIR: join(root, ".git"), GIT_WORK_TREE: root });
  const { code, message } = await failure(openRepository(aFolder()));
  expect(code).toBe("ERR_UNREADABLE_REPOSITORY");
  expect(message).toContain("unset GIT_DIR");
});

test("names a bare repository, also from a folder of it and inside of a work tree", async () => {
  for (const parent of [aFolder(), aRepository()]) {
    const bare = anEmptyRepository(join(parent, "bare.git"), "--bare");
    for (const act of ACTS.slice(0, 4)) {
      for (const dir of [bare, join(bare, "refs")]) {
        const { code, path } = await failure(act(dir));
        expect(code).toBe("ERR_BARE_REPOSITORY");
        expect(path).toBe(bare);
      }
    }
    expect(await failureCode(commitAll(bare, { subject: "x" }))).toBe("ERR_BARE_REPOSITORY");
  }
});

test("names a repository that belongs to another user", async () => {
  const root = aRepository();
  replaceGit((real) => `GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${real}' "$@"`);
  for (const act of ACTS) {
    const { code, path } = await failure(act(root));
    expect(code).toBe("ERR_FOREIGN_OWNER");
    expect(path).toBe(root);
  }
});
