import { appendFileSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeRepository } from "../fixture-repository.ts";
import type { Fixture, Place } from "@quasar/torture";
import { installFakeGh } from "./fake-gh.ts";

/** What is made once, to be copied for each trial. */
export interface AtlasFixture {
  /** A repository of one commit whose remote is on GitHub, with a change of the user's own. */
  readonly fixture: Fixture;
  /** What that remote is in truth. */
  readonly bare: string;
}

export function makeAtlasFixture(folder: string): AtlasFixture {
  const { work, env, git } = makeRepository(folder);
  const bare = join(folder, "bare");
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
