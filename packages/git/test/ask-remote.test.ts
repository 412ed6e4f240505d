import { expect, test } from "vitest";
import { askRemote } from "../src/ask-remote.ts";
import { aCanary, aFolder, aRepository, failureCode, git } from "./fixture.ts";

test("a remote answers from outside of any repository, with or without a commit", async () => {
  const bare = aFolder();
  git(bare, "init", "-q", "--bare");
  for (const url of [bare, `file://${bare}`, aRepository()]) {
    await expect(askRemote(url)).resolves.toBeUndefined();
  }
});

test.for([
  ["/nowhere/none", "ERR_REMOTE_UNREACHABLE"],
  ["ssh://127.0.0.1:1/x", "ERR_REMOTE_UNREACHABLE"],
  ["--upload-pack=touch", "ERR_INVALID_ARGUMENT"],
  ["ext::touch x", "ERR_GIT_FAILED"],
] as const)("%s is told by its code", async ([url, code]) => {
  expect(await failureCode(askRemote(url))).toBe(code);
});

test("what the repository that one is in configures does not count", async () => {
  const root = aRepository();
  const bare = aFolder();
  git(bare, "init", "-q", "--bare");
  const canary = aCanary();
  git(root, "config", "core.sshCommand", canary.program);
  git(root, "config", "url.ssh://127.0.0.1:1/.insteadOf", bare);
  const before = process.cwd();
  process.chdir(root);
  try {
    await askRemote(bare);
    await failureCode(askRemote("ssh://127.0.0.1:1/x"));
  } finally {
    process.chdir(before);
  }
  expect(canary.sang()).toBe(false);
});
