import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeRepository } from "../fixture-repository.ts";
import type { Fixture } from "@quasar/torture";

/**
 * Makes a repository of one commit, to be copied for each trial, with changes of the user's own that
 * are to stay as they are: staged, unstaged and untracked.
 */
export function makeFixture(folder: string): Fixture {
  const { work, env, git } = makeRepository(folder);
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
