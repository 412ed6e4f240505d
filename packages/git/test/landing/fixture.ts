import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type MergeFolder, openMergeFolder } from "../../src/landing/merge-folder.ts";
import { openRepository } from "../../src/repository.ts";
import { anEmptyRepository, git, headOf, write } from "../fixture.ts";

/** What files are to hold: `undefined` takes one away, `+` before the text makes it a program, `->` a link. */
export type Files = Readonly<Record<string, string | undefined>>;

/** Twenty lines, some of them other ones. */
export function lines(changed: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: 20 }, (_, at) => `${changed[at] ?? `line ${at}`}\n`).join("");
}

export interface Sides {
  readonly root: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** A repository with two commits on a common one; ours is checked out, on `main`. */
export function twoSides(base: Files, ours: Files, theirs: Files, ...options: string[]): Sides {
  const root = anEmptyRepository(undefined, ...options);
  const first = commit(root, base);
  const their = commit(root, theirs);
  git(root, "branch", "theirs");
  git(root, "reset", "-q", "--hard", first);
  return { root, base: first, ours: commit(root, ours), theirs: their };
}

export function commit(root: string, files: Files): string {
  for (const path of Object.keys(files)) rmSync(join(root, path), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) continue;
    const [, mark, content = ""] = /^(\+|->)?([^]*)$/u.exec(text) ?? [];
    if (mark === "->") symlinkSync(content, join(root, path));
    else write(root, path, content);
    if (mark === "+") chmodSync(join(root, path), 0o755);
  }
  git(root, "add", "-A");
  git(root, "commit", "-q", "--allow-empty", "-m", `change ${Object.keys(files).length}`);
  return headOf(root);
}

export async function openAt(root: string): Promise<MergeFolder> {
  return openMergeFolder(await openRepository(root));
}

/** The bytes of a file in a tree. */
export function show(root: string, tree: string, path: string): string {
  return git(root, "cat-file", "blob", `${tree}:${path}`);
}

/** Takes a loose object away. */
export function lose(root: string, revision: string): void {
  const id = git(root, "rev-parse", revision).trim();
  rmSync(join(root, ".git/objects", id.slice(0, 2), id.slice(2)));
}

/** Git with an input. */
export function gitWith(cwd: string, input: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, input, encoding: "utf8" });
}
