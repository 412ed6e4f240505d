import { join } from "node:path";
import { initDepot } from "../../src/entries/depot.ts";
import { aFolder, aRepository, git, headOf } from "../fixture.ts";

export async function aDepot(): Promise<string> {
  const url = join(aFolder(), "depot.git");
  await initDepot(url);
  return url;
}

/** A repository with two commits, the one after the other. */
export function twoCommits(): {
  readonly root: string;
  readonly first: string;
  readonly second: string;
} {
  const root = aRepository();
  const first = headOf(root);
  return { root, first, second: anotherCommit(root) };
}

export function anotherCommit(root: string, subject = "another"): string {
  git(root, "commit", "-q", "--allow-empty", "-m", subject);
  return headOf(root);
}

/** `<ref> <id>`, line by line. */
export function refsAt(url: string): string {
  return git(url, "for-each-ref", "--format=%(refname) %(objectname)").trim();
}
