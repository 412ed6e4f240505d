import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readJournal } from "@quasar/durable/journal";
import { type Books, booksOf } from "../books.ts";
import type { Place } from "@quasar/torture";

const RUN_ID = /\d{8}-\d{6}-[0-9a-f]{6}/gu;

type Tree = Pick<Place, "work" | "env">;

function git(place: Tree, ...args: string[]): string {
  return execFileSync("git", args, { cwd: place.work, env: place.env, encoding: "utf8" }).trim();
}

/** The files of a work tree that are not ignored, by the beginning of their SHA-256. */
export function treeOf(place: Tree): Readonly<Record<string, string>> {
  const listed = git(place, "ls-files", "--cached", "--others", "--exclude-standard", "-z");
  const names = new Set(listed.split("\0").filter((name) => name !== ""));
  const hash = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(place.work, name)))
      .digest("hex")
      .slice(0, 12);
  return Object.fromEntries([...names].toSorted().map((name) => [name, hash(name)]));
}

export function uncommittedOf(place: Tree): string {
  return git(place, "status", "--porcelain");
}

/** Subjects and cycles, oldest first: not ids, which hold the time. */
export function commitsOf(place: Place): readonly string[] {
  const format = "--format=%s (%(trailers:key=Quasar-Cycle,valueonly,separator=))";
  return git(place, "log", "--reverse", format).replaceAll(RUN_ID, "*").split("\n");
}

function runsOf({ work }: Place): readonly string[] {
  const runs = join(work, ".git", "quasar", "runs");
  return existsSync(runs) ? readdirSync(runs).map((id) => join(runs, id)) : [];
}

/** Whether a run of the place has ended. */
export function hasEndedRun(place: Place): boolean {
  return runsOf(place).some((run) => existsSync(join(run, "archive", "checkpoint.toml")));
}

/** Ids of the turns whose end is on disk. */
export function finishedTurns(place: Place): ReadonlySet<string> {
  const ids = runsOf(place).flatMap((run) => {
    const turns = join(run, "turns");
    const names = existsSync(turns) ? readdirSync(turns) : [];
    const ends = names.filter((name) => /^\d+\.exit$/u.test(name));
    return ends.map((name) => `${run.split("/").at(-1)}.${name.replace(".exit", "")}`);
  });
  return new Set(ids);
}

/** Id of the turn that was begun last; `""` before the first. */
export function newestTurn(place: Place): string {
  const run = runsOf(place).toSorted().at(-1) ?? "";
  const turns = join(run, "turns");
  const names = existsSync(turns) ? readdirSync(turns) : [];
  const numbers = names.map((name) => Number.parseInt(name, 10)).filter((n) => n > 0);
  return numbers.length === 0 ? "" : `${run.split("/").at(-1)}.${Math.max(...numbers)}`;
}

/** What the runs of a place have cost. */
export function costOf(place: Place): Promise<Books> {
  return booksOf(runsOf(place));
}

/** What happens once, however often the runner is killed. */
const FACTS: ReadonlySet<unknown> = new Set([
  "agent_done",
  "committed",
  "review_complete",
  "task_success",
]);

/** How often each fact stands in the journals of a place: which turn ended, which cycle was committed. */
export function journalOf(place: Place): Readonly<Record<string, number>> {
  const facts: Record<string, number> = {};
  for (const run of runsOf(place)) {
    for (const { data } of readJournal(join(run, "events.jsonl"), { joins: true })?.records ?? []) {
      const { type, cycle, role = "" } = data as Readonly<Record<string, string | number>>;
      if (!FACTS.has(type)) continue;
      const name = `${type} ${cycle} ${role}`.trim();
      facts[name] = (facts[name] ?? 0) + 1;
    }
  }
  return facts;
}
