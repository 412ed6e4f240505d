import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Place } from "../blackbox/place.ts";

/** How a run ends in a setting, killed and resumed or not. */
export interface Expected {
  readonly code: number;
  /** What the last thing that is said names, where the run is not approved. */
  readonly says?: RegExp | undefined;
  /** Files of HEAD's tree, beside the fix, by path; `undefined`: not in it. */
  readonly head?: Readonly<Record<string, string | undefined>> | undefined;
  /** What `git status --porcelain` lists in the end. @default nothing */
  readonly dirty?: readonly string[] | undefined;
  /** How many turns agents take, where the run is not killed; none: where it is killed, too. */
  readonly turns?: number | undefined;
  /** More that has to hold, in the folder of the run: throws where it does not. */
  readonly also?: ((at: Place) => void) | undefined;
}

/** A repository as teams have them, or something that an agent does to one. */
export interface Setting {
  /** Completes "a run …". */
  readonly name: string;
  /** Lays it out; gives another folder to run in, if it is not the repository's. */
  readonly lay?: ((at: Place) => Place | void) | undefined;
  /**
   * What the coder does in each of its turns after the fix: lines for a shell, harmless twice. What it was
   * told is in `$prompt`.
   */
  readonly coder?: string | undefined;
  readonly flags?: readonly string[] | undefined;
  /** Whether a bugfix of `atlas` goes through it, too. */
  readonly isForTasks?: boolean | undefined;
  /** By a user who is not root, whom modes do not hold. */
  readonly isUnprivileged?: boolean | undefined;
  readonly ends: Expected;
}

/** The program with the bug, which takes its coder two cycles to fix. */
export const BUG = "export const sum = (a, b) => a * b;\n";
export const FIX = "export const sum = (a, b) => a + b;\n";

const APPROVAL = `APPROVED: sum() adds.

REPORT:
SATISFACTION: high
RISK: low
NEEDS_HUMAN_REVIEW: no
SUMMARY: Small and right.`;

const REFUSAL = `ISSUE:
SEVERITY: major
DESCRIPTION: sum() subtracts.`;

const CODER = `
case "$prompt" in *"Step: analyze"*) echo "It multiplies."; exit 0 ;; esac
sleep 0.1
if grep -q 'a - b' sum.js; then
  sed -i 's/a - b/a + b/' sum.js
elif grep -q 'a [*] b' sum.js; then
  sed -i 's/a [*] b/a - b/' sum.js
fi`;

const SUBJECT = `
echo 'sum() adds now.

COMMIT: fix: add the numbers in sum()'
sleep 0.1`;

const REVIEWER = `
sleep 0.1
if grep -q 'a + b' sum.js; then cat <<'END'
${APPROVAL}
END
else cat <<'END'
${REFUSAL}
END
fi`;

/** The agents of a setting, as arguments. */
export function agentsOf({ root }: Place, { coder = "" }: Setting): readonly string[] {
  const program = (name: string, body: string): string =>
    executable(
      join(root, name),
      `prompt=$(cat)\necho ${name} >> '${turnsFile(root)}'\nset -e\n${body}`,
    );
  return [
    ...["--coder", `command:${program("coder", `${CODER}\n${coder}${SUBJECT}`)}`],
    ...["--reviewer", `command:${program("reviewer", REVIEWER)}`],
  ];
}

/** How often an agent was started. */
export function turnsIn({ root }: Place): number {
  const file = turnsFile(root);
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").length : 0;
}

function turnsFile(root: string): string {
  return join(root, "turns");
}

/** What a coder does in each turn until it was told something, which it then fixes once and for all. */
export function unlessTold(words: string, does: string, fix: string): string {
  return `case "$prompt" in *'${words}'*) ${fix}; touch "$0.told" ;; esac
[ -e "$0.told" ] || { ${does}; }`;
}

export function executable(file: string, body: string): string {
  write(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

export function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A git hook of the repository. */
export function hook(at: Place, name: string, body: string): void {
  executable(join(at.repo, ".git/hooks", name), body);
}

/** Commits all there is, without the repository's hooks. */
export function commit(at: Place, subject: string): void {
  run(at, "git", "add", "--all");
  run(at, "git", "commit", "--quiet", "--no-verify", "-m", subject);
}

export function run({ repo, env }: Place, program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { cwd: repo, env, encoding: "utf8", stdio: "pipe" });
}
