import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NebulaState } from "@quasar/nebula";
import { expect, onTestFinished, test } from "vitest";
import { githubRemote } from "./github-remote.ts";

const ENDED = { branch: "nebula/shop", archivedFrom: "", phases: [] } as unknown as NebulaState;

test.for([
  ["git@github.com:a/b.git", "origin"],
  ["https://github.com/a/b", "origin"],
  ["https://token@github.com/a/b.git", "origin"],
  ["ssh://git@ssh.github.com:443/a/b.git", "origin"],
  ["https://example.org/github.com/b.git", undefined],
  ["https://github.com.example.org/a/b.git", undefined],
  ["git@example.org:github.com/b.git", undefined],
  ["/srv/github.com/b.git", undefined],
] as const)("a branch that goes to %s goes to GitHub by %s", async ([url, remote]) => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "github-remote-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", root, ...args]);
  git("init", "--quiet");
  expect(await githubRemote(root, ENDED)).toBeUndefined();
  git("remote", "add", "origin", url);
  expect(await githubRemote(root, ENDED)).toBe(remote);
});

test("a URL that is pushed to is advised without its login", async () => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "github-remote-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root });
  git("init", "-q");
  git("config", "remote.pushDefault", "https://me:t0k3n@github.com/a/b.git");
  expect(await githubRemote(root, ENDED)).toBe("https://github.com/a/b.git");
});
