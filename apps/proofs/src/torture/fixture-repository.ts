import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Fixture } from "@quasar/torture";

/** A repository that is being made, to be copied for each trial. */
export interface FixtureRepository extends Fixture {
  readonly env: Readonly<Record<string, string>>;
  readonly git: (...args: readonly string[]) => void;
}

/** An empty one with a user, which nothing of this machine's configuration has a say in. */
export function makeRepository(folder: string): FixtureRepository {
  const work = join(folder, "repository");
  mkdirSync(work, { recursive: true });
  const { PATH = "" } = process.env;
  const env = {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    // Compiled once for all trials: it is no state of theirs.
    XDG_CACHE_HOME: join(folder, "cache"),
  };
  const git = (...args: readonly string[]): void => {
    execFileSync("git", args, { cwd: work, env: { PATH, HOME: folder, ...env }, stdio: "pipe" });
  };
  git("init", "--quiet", "--initial-branch=main", "--template=");
  git("config", "user.name", "Torture");
  git("config", "user.email", "torture@localhost");
  return { work, env, git };
}
