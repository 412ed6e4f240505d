import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder } from "../../test/stored-task.ts";
import { readGitFacts } from "./git-facts.ts";

// SPEC.md, statements 104.
test("branch, HEAD and whether anything is not committed are read", async () => {
  const dir = aFolder();
  const git = (...args: readonly string[]): string => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    return execFileSync("git", [...identity, ...args], { cwd: dir, encoding: "utf8" }).trim();
  };
  git("init", "-q", "-b", "fix/null");
  expect(await readGitFacts(dir)).toEqual({ branch: "fix/null", dirty: false });

  writeFileSync(join(dir, "a.ts"), "one\n");
  expect(await readGitFacts(dir)).toEqual({ branch: "fix/null", dirty: true });

  git("add", ".");
  git("commit", "-qm", "one");
  const commit = git("rev-parse", "HEAD");
  expect(await readGitFacts(dir)).toEqual({ branch: "fix/null", commit, dirty: false });

  git("checkout", "-q", "--detach");
  expect(await readGitFacts(dir)).toEqual({ branch: "", commit, dirty: false });
});

test("what was seen of a work tree is not looked at again", async () => {
  const seen = { head: "a".repeat(40), branch: "main", dirty: [{ path: "b.ts", status: "??" }] };
  const facts = await readGitFacts("/nowhere", { seen });
  expect(facts).toEqual({ branch: "main", commit: seen.head, dirty: true });
});

test("a folder without a repository is an error, an aborted signal its reason", async () => {
  await expect(readGitFacts(aFolder())).rejects.toThrow(
    expect.objectContaining({ code: "ERR_NOT_A_REPOSITORY" }),
  );
  const signal = AbortSignal.abort("stopped");
  await expect(readGitFacts(aFolder(), { signal })).rejects.toBe("stopped");
});
