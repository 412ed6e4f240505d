import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fixture } from "../place.ts";

/**
 * Makes a repository of one commit, to be copied for each trial, with changes of the user's own that
 * are to stay as they are: staged, unstaged and untracked.
 */
export function makeFixture(folder: string): Fixture {
  const work = join(folder, "repository");
  mkdirSync(work, { recursive: true });
  const { PATH = "" } = process.env;
  const env = {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    // Compiled once for all trials: it is no state of theirs.
    XDG_CACHE_HOME: join(folder, "cache"),
  };
  const git = (...args: string[]): void => {
    execFileSync("git", args, { cwd: work, env: { PATH, HOME: folder, ...env } });
  };
  git("init", "--quiet", "--initial-branch=main", "--template=");
  git("config", "user.name", "Torture");
  git("config", "user.email", "torture@localhost");
  const write = (name: string, text: string): void => writeFileSync(join(work, name), text);
  for (const name of ["read.me", "staged.txt", "unstaged.txt"]) write(name, "one\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
  write("staged.txt", "two\n");
  git("add", "staged.txt");
  write("unstaged.txt", "two\n");
  write("untracked.txt", "one\n");
  return { work, env };
}
