import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { QUASAR } from "../blackbox/place.ts";
import { BRANCH } from "../torture/nebula/fixture.ts";
import { until } from "./until.ts";

/** The repository over which the machines of a trial exchange their work. */
export interface Depot {
  readonly path: string;
  /** Has the next push that moves the branch wait when it is done, before its pusher gets an answer. */
  holdNext(): void;
  /** Resolves with the commit that the branch has moved to once such a push waits. */
  held(timeoutMs: number): Promise<string>;
  /** Lets it end. */
  release(): void;
  /** Nobody reaches it. */
  takeAway(): void;
  bringBack(): void;
  /** Trees and subjects of the branch after its base, oldest first. */
  landings(): readonly string[];
  /** Whether the branch has a commit on its first line. */
  has(commit: string): boolean;
}

/** Waits in its folder until it is released, where a trial has asked for it. */
const hook = (folder: string): string => `#!/bin/sh
while read -r from to ref; do
  if [ "$ref" = "refs/heads/${BRANCH}" ] && mv "${folder}/next" "${folder}/mine" 2>/dev/null; then
    echo "$to" > "${folder}/written" && mv "${folder}/written" "${folder}/held"
    while [ ! -e "${folder}/go" ]; do sleep 0.1; done
  fi
done
exit 0
`;

export function makeDepot(
  trial: string,
  env: Readonly<Record<string, string>>,
  base: () => string,
): Depot {
  const path = join(trial, "depot.git");
  const away = join(trial, "depot.away");
  const folder = join(trial, "hold");
  mkdirSync(folder);
  execFileSync(process.execPath, [QUASAR, "depot", "init", path], { env, stdio: "pipe" });
  mkdirSync(join(path, "hooks"), { recursive: true });
  const file = join(path, "hooks/post-receive");
  writeFileSync(file, hook(folder));
  chmodSync(file, 0o755);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["--git-dir", path, ...args], { env, encoding: "utf8", stdio: "pipe" });
  const lines = (format: string): readonly string[] =>
    git(
      ...["log", "--first-parent", "--reverse", `--format=${format}`],
      `${base()}..refs/heads/${BRANCH}`,
    )
      .split("\n")
      .filter((line) => line !== "");
  return {
    path,
    holdNext: () => writeFileSync(join(folder, "next"), ""),
    async held(timeoutMs) {
      const held = join(folder, "held");
      await until("a push that moves the branch", timeoutMs, () => existsSync(held));
      return readFileSync(held, "utf8").trim();
    },
    release: () => writeFileSync(join(folder, "go"), ""),
    takeAway: () => renameSync(path, away),
    bringBack: () => renameSync(away, path),
    landings: () => lines("%T %s"),
    has: (commit) => lines("%H").includes(commit),
  };
}
