import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { notInPast } from "./not-in-past.ts";
import { inObjectFolder } from "./object-folder.ts";
import type { Ref } from "./refs.ts";
import { checkRevision, checkSha } from "./revision.ts";
import { git, gitOutput } from "./run.ts";
import { quoted } from "./text.ts";

/** Refs with their history, in a file that `git fetch` reads. */
export interface Bundle {
  readonly file: string;
  /** At least one. */
  readonly refs: readonly Ref[];
}

/**
 * Writes a bundle: all of the refs' history that is not in the past of some commits. Takes the place of a file that
 * is there; not synced.
 *
 * @param without - What its reader has.
 * @throws {GitError} `ERR_BAD_REVISION`; `ERR_GIT_FAILED`, also where there is nothing but what `without` has;
 *   `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when aborted.
 */
export async function writeBundle(
  workTree: string,
  { file, refs, without }: Bundle & { readonly without: readonly string[] },
  { signal }: SignalOptions = {},
): Promise<void> {
  const lines = [
    ...refs.map(({ ref }) => checkRevision(ref)),
    ...without.map((sha) => `^${checkSha(sha)}`),
  ];
  const input = lines.map((line) => `${line}\n`).join("");
  const args = ["bundle", "create", "--quiet", resolve(file), "--stdin"];
  await gitOutput("keep", workTree, args, { signal, input });
}

/**
 * Has git read a bundle whole, as a fetch would, without taking anything of it, and makes sure that it has the refs.
 *
 * @throws {GitError} `ERR_DAMAGED_PACK`; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when aborted.
 */
export async function verifyBundle(
  workTree: string,
  { file, refs }: Bundle,
  options: SignalOptions = {},
): Promise<void> {
  const read = await inObjectFolder(workTree, file, options, (run) =>
    git("keep", workTree, ["bundle", "unbundle", resolve(file)], run),
  );
  const found = new Set(read.stdout.split("\n"));
  const missing = refs.find(({ ref, sha }) => !found.has(`${sha} ${ref}`));
  if (read.exitCode === 0 && missing === undefined) return;
  const why = read.exitCode === 0 ? `does not have ${missing?.ref}` : read.stderr.trim();
  throw new GitError("ERR_DAMAGED_PACK", `${quoted(file)} is damaged: ${why}`, { path: file });
}

/**
 * Whether a bundle is whole, has the refs, and builds on nothing but what some commits have in their past.
 *
 * @param without - What its reader has.
 * @throws {GitError} `ERR_BAD_REVISION`; `ERR_GIT_FAILED`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason
 *   when aborted.
 */
export async function bundleHolds(
  workTree: string,
  { file, refs, without }: Bundle & { readonly without: readonly string[] },
  options: SignalOptions = {},
): Promise<boolean> {
  try {
    await verifyBundle(workTree, { file, refs }, options);
  } catch (error) {
    if (error instanceof GitError && error.code === "ERR_DAMAGED_PACK") return false;
    throw error;
  }
  const built = { shas: await builtOn(file), tips: without };
  return (await notInPast(workTree, built, options)).size === 0;
}

/** The commits that a bundle does not have, and its history continues from. */
async function builtOn(file: string): Promise<readonly string[]> {
  let head = "";
  for await (const part of createReadStream(file, "latin1")) {
    head += part;
    if (head.includes("\n\n")) break;
  }
  const [header = ""] = head.split("\n\n", 1);
  return [...header.matchAll(/^-([0-9a-f]+)/gmu)].map(([, sha = ""]) => sha);
}
