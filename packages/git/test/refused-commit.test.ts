import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CommitRefusal } from "../src/commit-refusal.ts";
import { commitAll } from "../src/commit.ts";
import { GitError } from "../src/errors.ts";
import { checkSigning } from "../src/signing.ts";
import { TRAILER } from "../src/trailers.ts";
import { refusalOf } from "../src/refusal.ts";
import {
  aFolder,
  aRepository,
  anEmptyRepository,
  failure,
  git,
  headOf,
  script,
  write,
} from "./fixture.ts";

const OPTIONS = { subject: "Return 0", trailers: { [TRAILER.turn]: "run.1" } };

async function refusalIn(root: string): Promise<CommitRefusal | undefined> {
  const error = await failure(commitAll(root, OPTIONS));
  expect(error.code).toBe("ERR_COMMIT_FAILED");
  return error.refusal;
}

const SETTINGS: readonly (readonly [
  by: CommitRefusal["by"],
  what: string,
  prepare: (root: string) => void,
  output: string,
])[] = [
  [
    "pre-commit",
    "a lint that fails",
    (root) => script(root, ".git/hooks/pre-commit", "echo 'a.js: 1 error'; exit 3"),
    "a.js: 1 error",
  ],
  [
    "pre-commit",
    "a hook in core.hooksPath, as husky has it",
    (root) => {
      git(root, "config", "core.hooksPath", ".husky/_");
      script(root, ".husky/_/pre-commit", "echo 'a.js: 1 error' >&2; exit 1");
    },
    "a.js: 1 error",
  ],
  [
    "commit-msg",
    "commitlint",
    (root) => {
      const lint = `grep -qE '^(feat|fix): ' "$1" || { echo 'type may not be empty' >&2; exit 1; }`;
      script(root, ".git/hooks/commit-msg", lint);
    },
    "type may not be empty",
  ],
  [
    "commit-msg",
    "a hook that prepares the message",
    (root) =>
      script(
        root,
        ".git/hooks/prepare-commit-msg",
        `sed -i '1s/.*/JIRA-1/' "$1"; echo no ticket; exit 1`,
      ),
    "no ticket",
  ],
  ["stage", "a nested repository", (root) => anEmptyRepository(join(root, "nested")), "nested"],
  [
    "stage",
    "line ends that would be lost",
    (root) => {
      git(root, "config", "core.autocrlf", "true");
      git(root, "config", "core.safecrlf", "true");
    },
    "would be replaced by CRLF",
  ],
  [
    "stage",
    "a file outside of the sparse cone",
    (root) => {
      git(root, "sparse-checkout", "set", "--cone", "src");
      write(root, "lib/x", "x\n");
    },
    "lib/x",
  ],
  [
    "stage",
    "a change of a committed file outside of the sparse cone",
    (root) => {
      git(root, "sparse-checkout", "set", "--cone", "src");
      write(root, "lib/kept.js", "changed\n");
    },
    "\nlib/kept.js\n",
  ],
  [
    "signing",
    "a key that is none",
    (root) => {
      git(root, "config", "commit.gpgsign", "true");
      git(root, "config", "gpg.format", "ssh");
      git(root, "config", "user.signingkey", "/nowhere/key.pub");
    },
    "fatal: failed to write commit object",
  ],
  ["git", "a lock", (root) => write(root, ".git/index.lock", ""), "index.lock"],
];

test.for(SETTINGS)("says that %s refused it: %s", async ([by, , prepare, output]) => {
  const root = aRepository();
  write(root, "b.txt", "b\n");
  write(root, "lib/kept.js", "kept\n");
  git(root, "add", "lib");
  git(root, "commit", "-q", "-m", "Add lib");
  const before = headOf(root);
  prepare(root);
  const refusal = await refusalIn(root);
  expect(refusal).toMatchObject({ by, output: expect.stringContaining(output) });
  expect(headOf(root)).toBe(before);
});

test("says on the first line why git itself could not commit", async () => {
  const root = aRepository();
  write(root, "b.txt", "b\n");
  write(root, ".git/index.lock", "");
  const { message } = await failure(commitAll(root, OPTIONS));
  const [first, ...rest] = message.split("\n");
  expect(first).toBe(
    `git could not commit: Unable to create '${root}/.git/index.lock': File exists. (exit code 128)`,
  );
  expect(rest.join("\n")).toContain("Another git process");
});

test.for([
  ["stage", 'error: open("b.txt"): Permission denied\nfatal: adding files failed'],
  ["git", "error: unable to create temporary file: No space left on device"],
  ["git", "error: could not close '/r/.git/index.lock'\nfatal: Unable to write new index file"],
  ["git", "fatal: cannot use .git/info/exclude as an exclude file"],
  [
    "git",
    "warning: unable to access '.git/config': Permission denied\nfatal: unknown error occurred while reading the configuration files",
  ],
  ["git", "fatal: .git/index: index file open failed: Permission denied"],
  ["git", "fatal: Unable to create '/r/.git/index.lock': File exists."],
] as const)("takes it for a matter of %s when git says %j", ([by, stderr]) => {
  const failed = { command: "add", exitCode: 128, stdout: "", stderr } as const;
  expect(refusalOf({ ...failed, isMessageWritten: false, hasHook: true })).toEqual({
    by,
    output: stderr,
  });
});

test("takes a nested repository for a matter of stage where a commit of named paths stages it", async () => {
  const root = aRepository();
  write(root, "mine.txt", "m\n");
  git(root, "add", "mine.txt");
  anEmptyRepository(join(root, "nested"));
  const error = await failure(commitAll(root, { ...OPTIONS, exclude: ["mine.txt"] }));
  expect(error.refusal).toMatchObject({ by: "stage" });
});

test("takes a message that could not be written for no hook's refusal", () => {
  const stderr = "Aborting commit due to empty commit message.";
  const failed = { command: "commit", exitCode: 1, stdout: "", stderr } as const;
  for (const isMessageWritten of [true, false]) {
    const refusal = refusalOf({ ...failed, isMessageWritten, hasHook: true });
    expect(refusal).toMatchObject({ by: "git" });
  }
});

test("takes a git that can say nothing for a hook only where there is one", () => {
  const failed = { command: "commit", exitCode: 1, stdout: "", stderr: "" } as const;
  for (const isMessageWritten of [true, false]) {
    const by = isMessageWritten ? "commit-msg" : "pre-commit";
    expect(refusalOf({ ...failed, isMessageWritten, hasHook: false })).toMatchObject({ by: "git" });
    expect(refusalOf({ ...failed, isMessageWritten, hasHook: true })).toMatchObject({ by });
  }
});

test("takes a pre-commit hook for one, whatever message an earlier commit has left", async () => {
  const root = aRepository();
  write(root, ".git/COMMIT_EDITMSG", "Return 0\n\nQuasar-Turn: run.0\n");
  write(root, "b", "");
  script(root, ".git/hooks/pre-commit", "exit 1");
  expect(await refusalIn(root)).toMatchObject({ by: "pre-commit" });
});

test("takes a pre-commit hook for one where the last commit has the same trailers", async () => {
  const root = aRepository();
  write(root, "b", "");
  await commitAll(root, { ...OPTIONS, subject: "Begin" });
  write(root, "b", "b\n");
  script(root, ".git/hooks/pre-commit", "exit 1");
  expect(await refusalIn(root)).toMatchObject({ by: "pre-commit" });
});

describe("a pre-commit hook that formats and refuses", () => {
  const FORMATS = `sed -i 's/ *$//' b.txt; git diff --quiet || { echo 'files were modified by this hook'; exit 1; }`;

  test("is tried once more, with what it has formatted", async () => {
    const root = aRepository();
    write(root, "b.txt", "b   \n");
    script(root, ".git/hooks/pre-commit", FORMATS);
    expect((await commitAll(root, OPTIONS))?.sha).toBe(headOf(root));
    expect(git(root, "show", "HEAD:b.txt")).toBe("b\n");
    expect(git(root, "status", "--porcelain")).toBe("");
  });

  test("is tried no third time", async () => {
    const root = aRepository();
    write(root, "b.txt", "b\n");
    const log = join(aFolder(), "log");
    script(root, ".git/hooks/pre-commit", `echo x >> b.txt; echo x >> '${log}'; exit 1`);
    expect(await refusalIn(root)).toMatchObject({ by: "pre-commit" });
    expect(execFileSync("cat", [log], { encoding: "utf8" })).toBe("x\nx\n");
  });

  test("is tried once where it changes nothing", async () => {
    const root = aRepository();
    write(root, "b.txt", "b\n");
    const log = join(aFolder(), "log");
    script(root, ".git/hooks/pre-commit", `echo x >> '${log}'; exit 1`);
    await refusalIn(root);
    expect(execFileSync("cat", [log], { encoding: "utf8" })).toBe("x\n");
  });

  test("commits nothing of what is excluded, whoever has changed it", async () => {
    const root = aRepository();
    write(root, "b.txt", "b\n");
    write(root, "mine.txt", "m\n");
    const log = join(aFolder(), "log");
    script(root, ".git/hooks/pre-commit", `echo x >> '${log}'; echo x >> mine.txt; exit 1`);
    await failure(commitAll(root, { ...OPTIONS, exclude: ["mine.txt"] }));
    expect(execFileSync("cat", [log], { encoding: "utf8" })).toBe("x\n");
  });
});

test("keeps of a flood the beginning and the end, in whole lines, and no escapes", async () => {
  const root = aRepository();
  write(root, "b", "");
  const flood = "printf '\\033[31mfirst\\033[0m\\n'; seq 1000000 1020000; echo last";
  script(root, ".git/hooks/pre-commit", `${flood}; exit 1`);
  const { output = "" } = (await refusalIn(root)) ?? {};
  expect(output.length).toBeLessThan(33_000);
  expect(output).toMatch(/^first\n1000000\n/u);
  expect(output).toMatch(/\n1020000\nlast$/u);
  expect(output.split("\n").every((line) => /^(?:first|last|\[…\]|\d{7})$/u.test(line))).toBe(true);
});

describe("a template, and what is cleaned of a message", () => {
  test.for(["scissors", "strip", "verbatim"])(
    "have no say with commit.cleanup %s",
    async (mode) => {
      const root = aRepository();
      write(root, "b", "");
      git(root, "config", "commit.cleanup", mode);
      git(root, "config", "commit.template", write(root, ".git/template", "Ticket:\n"));
      git(root, "config", "commit.verbose", "true");
      const body = "# stays\n------------------------ >8 ------------------------\nthis too";
      await commitAll(root, { ...OPTIONS, body });
      const message = `Return 0\n\n${body}\n\nQuasar-Turn: run.1`;
      expect(git(root, "log", "-1", "--format=%B").trim()).toBe(message);
    },
  );
});

describe("commits that are to be signed", () => {
  /** A repository that signs by a key of its own. */
  function aSigning(): { readonly root: string; readonly key: string } {
    const root = aRepository();
    const key = join(aFolder(), "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    git(root, "config", "commit.gpgsign", "true");
    git(root, "config", "gpg.format", "ssh");
    git(root, "config", "user.signingkey", `${key}.pub`);
    return { root, key };
  }

  test("are signed, and nothing stands in the way before", async () => {
    const { root } = aSigning();
    const objects = git(root, "count-objects");
    await checkSigning(root);
    expect(git(root, "count-objects")).toBe(objects);
    write(root, "b", "");
    await commitAll(root, OPTIONS);
    expect(git(root, "cat-file", "commit", "HEAD")).toContain("gpgsig ");
  });

  test("are refused before there is one where the key is gone", async () => {
    const { root, key } = aSigning();
    rmSync(key);
    const error = await failure(checkSigning(root));
    expect(error.code).toBe("ERR_SIGNING_FAILED");
    expect(error.message).toContain("commit.gpgsign");
  });

  test("are no matter where nobody wants it, or there is no commit yet", async () => {
    const plain = aRepository();
    git(plain, "config", "user.signingkey", "/nowhere");
    await expect(checkSigning(plain)).resolves.toBeUndefined();
    const empty = anEmptyRepository();
    git(empty, "config", "commit.gpgsign", "true");
    await expect(checkSigning(empty)).resolves.toBeUndefined();
  });

  test("are found out in a folder with an odd name", async () => {
    const { key } = aSigning();
    const root = aRepository(join(aFolder(), 'a:b"c'));
    git(root, "config", "commit.gpgsign", "true");
    git(root, "config", "gpg.format", "ssh");
    git(root, "config", "user.signingkey", `${key}.pub`);
    await expect(checkSigning(root)).resolves.toBeUndefined();
  });
});

test("an error of another kind has no refusal", () => {
  expect(new GitError("ERR_GIT_FAILED", "no").refusal).toBeUndefined();
});
