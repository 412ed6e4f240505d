import { chmodSync, existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitAll } from "../src/commit.ts";
import { inspectRepository } from "../src/inspect.ts";
import { dirtyPaths } from "../src/status.ts";
import {
  aCanary,
  aFolder,
  anEmptyRepository,
  git,
  headOf,
  read,
  script,
  write,
} from "./fixture.ts";

/** Git LFS, as `git lfs install` configures it, in the configuration of a repository. */
function install(root: string): void {
  git(root, "config", "filter.lfs.clean", "git-lfs clean -- %f");
  git(root, "config", "filter.lfs.smudge", "git-lfs smudge -- %f");
  git(root, "config", "filter.lfs.process", "git-lfs filter-process");
  git(root, "config", "filter.lfs.required", "true");
}

const NAMES = ["a b.bin", "\u00fc/deep.bin", "-x.bin", "run.bin", "empty.bin"] as const;

/** A repository with files under Git LFS, none of which is newer than the index. */
function withLfs(...options: string[]): string {
  const root = anEmptyRepository(aFolder(), ...options);
  install(root);
  write(root, ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  for (const name of NAMES) write(root, name, `content of ${name}\n`);
  write(root, "empty.bin", "");
  chmodSync(join(root, "run.bin"), 0o755);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "binaries");
  expect(git(root, "show", "HEAD:run.bin")).toContain("git-lfs.github.com/spec/v1");
  return root;
}

/** Makes git unsure of every file, as it is after a clone. */
function touchAll(root: string): void {
  for (const name of NAMES) utimesSync(join(root, name), 1e9, 1e9);
}

test.for([[], ["--object-format=sha256"]] as const)(
  "finds files under Git LFS unchanged that are, without its filter (%j)",
  async (options) => {
    const root = withLfs(...options);
    touchAll(root);
    // No filter is there to be run, the user's neither.
    git(root, "config", "filter.lfs.clean", aCanary().program);
    git(root, "config", "filter.lfs.process", aCanary().program);
    expect(await dirtyPaths(root)).toEqual([]);
    expect((await inspectRepository(root, { since: headOf(root) })).dirty).toEqual([]);
    expect(await dirtyPaths(join(root, "\u00fc"))).toEqual([]);
  },
);

test("lists files under Git LFS that are changed, in content or mode, or are gone", async () => {
  const root = withLfs();
  touchAll(root);
  write(root, "a b.bin", "another content\n");
  write(root, "empty.bin", "x");
  chmodSync(join(root, "run.bin"), 0o644);
  const changed = ["a b.bin", "empty.bin", "run.bin"];
  expect((await dirtyPaths(root)).map(({ path }) => path)).toEqual(changed);
  const sha = (await commitAll(root, { subject: "changed" }))?.sha;
  expect(sha).toBe(headOf(root));
  touchAll(root);
  expect(await dirtyPaths(root)).toEqual([]);
});

test("lists a file in place of a pointer where no Git LFS is configured, or not for it", async () => {
  const root = withLfs();
  touchAll(root);
  write(root, ".git/info/attributes", "run.bin -filter\n");
  expect((await dirtyPaths(root)).map(({ path }) => path)).toEqual(["run.bin"]);
  git(root, "config", "--remove-section", "filter.lfs");
  const all = NAMES.filter((name) => name !== "empty.bin").toSorted();
  expect((await dirtyPaths(root)).map(({ path }) => path).toSorted()).toEqual(all);
});

test("starts no filter or extension that a repository gives to Git LFS", async () => {
  const root = withLfs();
  const canary = aCanary();
  const program = script(root, ".git/evil", `${canary.program}; cat`);
  git(root, "config", "lfs.extension.evil.clean", program);
  git(root, "config", "lfs.extension.evil.priority", "0");
  // As long as before: what has another size is changed, and git need not look into it.
  write(root, "a b.bin", "CONTENT of a b.bin\n");
  touchAll(root);
  git(root, "status");
  expect(canary.sang(), "git itself starts it").toBe(true);
  write(root, "a b.bin", "content OF a b.bin\n");
  touchAll(root);
  await dirtyPaths(root);
  await inspectRepository(root, { since: headOf(root) });
  expect(canary.sang()).toBe(false);
  expect(existsSync(join(root, ".git/evil"))).toBe(true);
  expect(read(root, "a b.bin")).toBe("content OF a b.bin\n");
});
