import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { loadNebula, type LoadedNebula } from "@quasar/nebula/spec";
import { cleanLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import type { AnsweredFile } from "./answer-files.ts";

/** Where a generated nebula goes: drafts are beside it until one is valid. */
export interface TargetFolder {
  readonly dir: string;
  /** Of drafts, and new: the last one that is no nebula stays there. */
  readonly draft: string;
}

/**
 * The folder that a nebula is generated for.
 *
 * @param dir - Absolute.
 * @param force - Whether a nebula that is there may be replaced; it is kept beside it.
 * @throws {CliError} `ERR_EXISTS`
 */
export function targetFolder(dir: string, force: boolean): TargetFolder {
  const isThere = lstatSync(dir, { throwIfNoEntry: false }) !== undefined;
  const isReplaceable = force && isNebula(dir);
  if (isThere && !isReplaceable) {
    const help = isNebula(dir) ? "--force keeps it under another name" : "--dir names another one";
    throw new CliError("ERR_EXISTS", `${cleanLine(dir)} is there already; ${help}`);
  }
  return { dir, draft: freeName(`${dir}.invalid`) };
}

/** Whether a folder has nothing but files, and those of a nebula. */
function isNebula(dir: string): boolean {
  if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const entries = readdirSync(dir, { withFileTypes: true });
  return (
    entries.every((entry) => entry.isFile()) && entries.some(({ name }) => name === "nebula.toml")
  );
}

/**
 * Where a nebula is written that nobody has named a folder for, absolute.
 *
 * @throws {CliError} `ERR_EXISTS` where a link leads elsewhere: it may be the repository's
 */
export function defaultFolder(name: string): string {
  const parent = resolve(".nebulas");
  if (lstatSync(parent, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw new CliError("ERR_EXISTS", ".nebulas is a link; --dir names the folder that is meant");
  }
  return join(parent, name);
}

/** Replaces the draft by these files. @returns What they are as a nebula; `undefined`: nebula.toml is missing. */
export function writeDraft(
  { draft }: TargetFolder,
  files: readonly AnsweredFile[],
): LoadedNebula | undefined {
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(draft), { recursive: true });
  mkdirSync(draft);
  for (const { name, text } of files) writeFileSync(join(draft, name), text, { flag: "wx" });
  return files.some(({ name }) => name === "nebula.toml") ? loadNebula(draft) : undefined;
}

/** Makes the draft what it was written for. @returns Where the nebula is that was there before; `undefined`: none was. */
export function acceptDraft({ dir, draft }: TargetFolder): string | undefined {
  const before = existsSync(dir) ? freeName(`${dir}.before`) : undefined;
  if (before !== undefined) renameSync(dir, before);
  renameSync(draft, dir);
  return before;
}

function freeName(path: string): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? path : `${path}-${n}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}
