import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitVersion, inspectCommitSetup } from "../src/commit-setup.ts";
import { openRepository } from "../src/repository.ts";
import { aFolder, aRepository, git, tryGit, write } from "./fixture.ts";

const setupOf = async (root: string) => inspectCommitSetup(await openRepository(root));

/** Variables of this process until the test ends; `undefined` takes one away. */
function setVariable(name: string, value: string | undefined): void {
  const before = process.env[name];
  const set = (to: string | undefined): void => {
    if (to === undefined) delete process.env[name];
    else process.env[name] = to;
  };
  set(value);
  onTestFinished(() => set(before));
}

/** A user who has told git nothing. */
function nobody(): void {
  const home = aFolder();
  setVariable("HOME", home);
  setVariable("XDG_CONFIG_HOME", join(home, ".config"));
  for (const role of ["AUTHOR", "COMMITTER"]) {
    for (const field of ["NAME", "EMAIL"]) setVariable(`GIT_${role}_${field}`, undefined);
  }
  for (const name of ["EMAIL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT"])
    setVariable(name, undefined);
}

test("says who commits are by where nobody is named, and by variables too", async () => {
  const root = aRepository();
  for (const field of ["name", "email"]) tryGit(root, "config", "--unset", `user.${field}`);
  nobody();
  expect((await setupOf(root)).unsetIdentity).toEqual(["user.name", "user.email"]);
  setVariable("EMAIL", "e@localhost");
  expect((await setupOf(root)).unsetIdentity).toEqual(["user.name"]);
  setVariable("GIT_AUTHOR_NAME", "A");
  expect((await setupOf(root)).unsetIdentity).toEqual(["user.name"]);
  git(root, "config", "user.name", "A");
  expect((await setupOf(root)).unsetIdentity).toEqual([]);
});

const OPENPGP = { format: "openpgp", key: undefined, hasKeyCommand: false, program: "gpg" };

test.for([
  [{}, undefined],
  [{ "commit.gpgsign": "no" }, undefined],
  [{ "commit.gpgsign": "yes" }, OPENPGP],
  [
    { "commit.gpgsign": "1", "user.signingkey": "ABC", "gpg.program": "/opt/gpg" },
    { ...OPENPGP, key: "ABC", program: "/opt/gpg" },
  ],
  [
    { "commit.gpgsign": "true", "gpg.format": "ssh", "gpg.program": "/opt/gpg" },
    { ...OPENPGP, format: "ssh", program: "ssh-keygen" },
  ],
  [
    {
      "commit.gpgsign": "true",
      "gpg.format": "ssh",
      "gpg.ssh.defaultKeyCommand": "x",
      "gpg.ssh.program": "mine",
    },
    { ...OPENPGP, format: "ssh", program: "mine", hasKeyCommand: true },
  ],
  [
    { "commit.gpgsign": "true", "gpg.format": "x509" },
    { ...OPENPGP, format: "x509", program: "gpgsm" },
  ],
] as const)("says of %j how commits are signed", async ([settings, signing]) => {
  nobody();
  const root = aRepository();
  for (const [name, value] of Object.entries(settings)) git(root, "config", name, value);
  expect((await setupOf(root)).signing).toEqual(signing);
});

test("says which git hooks a commit starts, and which it passes over", async () => {
  const root = aRepository();
  expect((await setupOf(root)).hooks).toMatchObject({
    isConfigured: false,
    active: [],
    inactive: [],
  });
  for (const name of ["post-commit", "pre-commit", "commit-msg", "pre-push"]) {
    chmodSync(
      write(root, `.git/hooks/${name}`, "#!/bin/sh\n"),
      name === "commit-msg" ? 0o644 : 0o755,
    );
  }
  expect((await setupOf(root)).hooks).toMatchObject({
    path: join(root, ".git/hooks"),
    isThere: true,
    active: ["pre-commit", "post-commit"],
    inactive: ["commit-msg"],
  });
  git(root, "config", "core.hooksPath", "no/such");
  expect((await setupOf(root)).hooks).toEqual({
    ...{
      path: join(root, "no/such"),
      isConfigured: true,
      isThere: false,
      active: [],
      inactive: [],
    },
  });
});

test("counts the files under Git LFS, from whichever folder the attributes are of", async () => {
  nobody();
  const root = aRepository();
  expect((await setupOf(root)).lfs).toEqual({ files: 0, isInstalled: false });
  write(root, ".gitattributes", "*.bin filter=lfs\n");
  write(root, "deep/.gitattributes", "*.dat filter=lfs\n");
  for (const path of ["a.bin", "deep/b.dat", "c.dat"]) write(root, path, "x\n");
  git(root, "add", ".");
  expect((await setupOf(root)).lfs).toEqual({ files: 2, isInstalled: false });
  git(root, "config", "filter.lfs.clean", "git-lfs clean -- %f");
  expect((await setupOf(root)).lfs).toEqual({ files: 2, isInstalled: true });
});

test("lists conflicts once each", async () => {
  const root = aRepository();
  const path = "deep/ä b.txt";
  write(root, path, "one\n");
  git(root, "add", ".");
  git(root, "commit", "-qm", "One");
  expect((await setupOf(root)).unmerged).toEqual([]);
  write(root, path, "stashed\n");
  git(root, "stash");
  write(root, path, "two\n");
  git(root, "commit", "-qam", "Two");
  tryGit(root, "stash", "pop");
  expect((await setupOf(root)).unmerged).toEqual([path]);
});

test("tells the version of git in a repository and outside, and whether a history is cut off", async () => {
  const root = aRepository();
  const version = git(root, "--version").trim().split(" ")[2] ?? "";
  expect(await gitVersion(root)).toBe(version);
  expect(await gitVersion(aFolder())).toBe(version);
  expect((await setupOf(root)).isShallow).toBe(false);
  write(root, "a", "two\n");
  git(root, "add", ".");
  git(root, "commit", "-qm", "Two");
  const clone = join(aFolder(), "clone");
  git(root, "clone", "-q", "--depth", "1", `file://${root}`, clone);
  expect((await setupOf(clone)).isShallow).toBe(true);
});
