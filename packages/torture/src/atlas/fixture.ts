import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fixture, Place } from "../place.ts";
import { installFakeGh } from "./fake-gh.ts";

/** What is made once, to be copied for each trial. */
export interface AtlasFixture {
  /** A repository of one commit whose remote is on GitHub, with a change of the user's own. */
  readonly fixture: Fixture;
  /** What that remote is in truth. */
  readonly bare: string;
}

export function makeAtlasFixture(folder: string): AtlasFixture {
  const work = join(folder, "repository");
  const bare = join(folder, "bare");
  mkdirSync(work, { recursive: true });
  const { PATH = "" } = process.env;
  const env = {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    // Compiled once for all trials: it is no state of theirs.
    XDG_CACHE_HOME: join(folder, "cache"),
  };
  const git = (...args: string[]): void => {
    execFileSync("git", args, { cwd: work, env: { PATH, HOME: folder, ...env }, stdio: "pipe" });
  };
  git("init", "--quiet", "--initial-branch=main", "--template=");
  git("config", "user.name", "Torture");
  git("config", "user.email", "torture@localhost");
  writeFileSync(join(work, "config.js"), "export const config = null;\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
  git("clone", "--quiet", "--bare", "--template=", work, bare);
  git("--git-dir", bare, "config", "core.logAllRefUpdates", "true");
  git("remote", "add", "origin", "https://github.com/acme/widgets.git");
  writeFileSync(join(work, "config.js"), "export const config = undefined;\n");
  return { fixture: { work, env }, bare };
}

export const bareOf = ({ root }: Place): string => join(root, "bare");
export const ghOf = ({ root }: Place): string => join(root, "gh");

/** What only this trial has: a remote, and a `gh` that knows it. */
export function prepareRemote(place: Place, bare: string): void {
  cpSync(bare, bareOf(place), { recursive: true });
  const remote = `[remote "origin"]\n\tpushurl = ${bareOf(place)}\n`;
  appendFileSync(join(place.work, ".git/config"), remote);
  installFakeGh(ghOf(place), bareOf(place));
}
