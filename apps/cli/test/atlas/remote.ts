import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
// @boundaries-ignore one fake of GitHub's program for the tests of steps and of the command
import { type FakeGh, installFakeGh } from "../../../../packages/tasks/test/fake-gh.ts";
import { git } from "../harness.ts";
import type { AtlasPlace } from "./harness.ts";

/** A place whose repository has a remote, which is on GitHub for all that `gh` and git's `origin` say. */
export interface RemotePlace extends AtlasPlace {
  /** What is pushed to. */
  readonly bare: string;
  readonly gh: FakeGh;
}

/** Gives the repository of a place a remote, and the place a `gh` that knows its pull requests. */
export function withRemote(at: AtlasPlace): RemotePlace {
  const bare = join(at.outside, "bare");
  execFileSync("git", ["init", "--quiet", "--bare", "--template=", bare]);
  git(at, "remote", "add", "origin", "https://github.com/acme/widgets.git");
  git(at, "config", "remote.origin.pushurl", bare);
  git(at, "push", "--quiet", "origin", "main");
  const gh = installFakeGh(join(at.outside, "gh"));
  gh.set({ remote: bare, checks: [[{ name: "build", bucket: "pass" }]] });
  const path = `${gh.bin}${delimiter}${at.env["PATH"] ?? ""}`;
  return { ...at, env: { ...at.env, PATH: path }, bare, gh };
}

/** The commit of a branch at the remote; `""` where it has none. */
export function remoteHead(at: RemotePlace, branch: string): string {
  return git(
    { ...at, repo: at.bare },
    "for-each-ref",
    "--format=%(objectname)",
    `refs/heads/${branch}`,
  );
}
