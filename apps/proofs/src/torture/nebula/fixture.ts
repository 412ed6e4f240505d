import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Fixture } from "@quasar/torture";
import { makeRepository } from "../fixture-repository.ts";
import { PERSONS, type TorturedNebula } from "./tortured-nebula.ts";

/** The folder of the nebula, in the repository. */
export const FOLDER = ".nebulas/demo";
export const BRANCH = "nebula/demo";

const manifest = ({ order, workers, execution = "" }: TorturedNebula): string => `[nebula]
name = "demo"

[execution]
max_workers = ${workers}
min_free = "1MB"
merge_order = "${order}"
verify = ["sh verify.sh"]
${execution}`;

const phase = (id: string, needs: readonly string[]): string => `+++
id = "${id}"
title = "Phase ${id}"
depends_on = ${JSON.stringify(needs)}
+++
Do ${id}.
`;

/**
 * Commits once on the branch, at a time that is no chance, where nothing has landed on it yet: not when the branch itself
 * is verified, but with the first candidate.
 */
const verify = (more: string): string => `tip=$(git rev-parse refs/heads/${BRANCH})
if [ "$tip" = "$(git rev-parse refs/heads/main)" ] && [ "$tip" != "$(git rev-parse HEAD)" ]; then
  export GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z
  made=$(git commit-tree "$tip^{tree}" -p "$tip" -m "${PERSONS}")
  git update-ref refs/heads/${BRANCH} "$made" "$tip"
fi
${more}test -s shared.txt
`;

/** `shared.txt` with some of its lines changed. */
export function sharedText(changed: Readonly<Record<number, string>> = {}): string {
  const lines = Array.from({ length: 40 }, (_, at) => changed[at + 1] ?? `line ${at + 1}`);
  return `${lines.join("\n")}\n`;
}

/** In the home of a trial: a merge driver of the repository's, which nobody trusts, has run. */
export const DRIVER_MARK = "merge-driver-has-run";

/**
 * Makes a repository of one commit with a nebula in it, to be copied for each trial, and with changes of the user's own
 * that are to stay as they are: staged, unstaged and untracked.
 */
export function makeNebulaFixture(folder: string, nebula: TorturedNebula): Fixture {
  const { work, env, git } = makeRepository(folder);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  };
  write("shared.txt", sharedText());
  write("staged.txt", "one\n");
  write("verify.sh", verify(nebula.verify ?? ""));
  write(join(FOLDER, "nebula.toml"), manifest(nebula));
  for (const [id, needs] of Object.entries(nebula.phases))
    write(join(FOLDER, `${id}.md`), phase(id, needs));
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
  git("config", "merge.foreign.driver", `touch "$HOME/${DRIVER_MARK}"; exit 1`);
  write(".git/info/attributes", "* merge=foreign\n");
  write("staged.txt", "two\n");
  git("add", "staged.txt");
  write("shared.txt", "mine\n");
  write("untracked.txt", "one\n");
  return { work, env };
}
