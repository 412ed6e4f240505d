import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Life } from "./life.ts";
import type { Place } from "./place.ts";
import type { Facts, Next } from "./trial.ts";

const RUN_ID = /\d{8}-\d{6}-[0-9a-f]{6}/gu;

function git(place: Place, ...args: string[]): string {
  return execFileSync("git", args, { cwd: place.work, env: place.env, encoding: "utf8" }).trim();
}

/** The files of a work tree, by what they hold. */
function treeOf(place: Place): Record<string, string> {
  const files = git(place, "ls-files", "--cached", "--others", "--exclude-standard", "-z");
  const names = [...new Set(files.split("\0").filter((name) => name !== ""))].toSorted();
  const hash = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(place.work, name)))
      .digest("hex")
      .slice(0, 12);
  return Object.fromEntries(names.map((name) => [name, hash(name)]));
}

/** Subjects and cycles, oldest first: not ids, which hold the time. */
function commitsOf(place: Place): readonly string[] {
  const format = "--format=%s (%(trailers:key=Quasar-Cycle,valueonly,separator=))";
  return git(place, "log", "--reverse", format).replaceAll(RUN_ID, "*").split("\n");
}

/** How often each turn was told to be done. */
function turnsOf(lives: readonly Life[]): Record<string, number> {
  const turns: Record<string, number> = {};
  for (const { stdout } of lives) {
    for (const line of stdout.split("\n").slice(0, -1)) {
      const { type, cycle, role } = JSON.parse(line) as Record<string, unknown>;
      if (type !== "agent_done") continue;
      const key = `cycle ${String(cycle)}, ${String(role)}`;
      turns[key] = (turns[key] ?? 0) + 1;
    }
  }
  return turns;
}

/** What is left of a run of `quasar`. */
export function observeQuasar(place: Place, lives: readonly Life[]): Facts {
  return {
    tree: treeOf(place),
    commits: commitsOf(place),
    uncommitted: git(place, "status", "--porcelain"),
    turns: turnsOf(lives),
  };
}

/** What a user does after `quasar` has ended or was killed. */
export function nextOfQuasar(life: Life, place: Place): Next {
  if (life.killedAt !== undefined) return "resume";
  if (life.exitCode === 0) return "end";
  // Nothing to resume: killed before there was anything, or when all was done.
  if (life.exitCode === 8) return hasRun(place) ? "end" : "run";
  const said = life.stderr.trim().slice(-400) || life.stdout.trim().slice(-400);
  return { failed: `ended with ${life.signal ?? life.exitCode}: ${said}` };
}

/** Whether a run has ended, with all that it was to do. */
function hasRun({ work }: Place): boolean {
  const runs = join(work, ".git", "quasar", "runs");
  if (!existsSync(runs)) return false;
  const names = readdirSync(runs, { recursive: true, encoding: "utf8" });
  return names.some((name) => name.endsWith("archive/checkpoint.toml"));
}
