import { randomBytes } from "node:crypto";
import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Algorithm, algorithmOfId, objectId } from "./blob.ts";
import type { Config } from "./config.ts";
import { mayHaveAttributes } from "./attribute-files.ts";
import { type Content, readContents } from "./content.ts";
import type { SignalOptions } from "./head.ts";
import type { LandedFile } from "./landed.ts";
import type { Repository } from "./repository.ts";
import { gitOutput } from "./run.ts";
import { pathBytes } from "./tree-stream.ts";

export interface CheckedOutOptions extends SignalOptions {
  readonly repository: Pick<Repository, "root" | "gitDir" | "commonDir">;
  readonly algorithm: Algorithm;
  readonly config: Config;
  /** As HEAD has them. */
  readonly files: readonly LandedFile[];
}

/** Files of a work tree that are not what a checkout of the commit gives, though git takes them for the same. */
export interface NotCheckedOut {
  /** Written anew: git had converted line endings, or the encoding, in the commit. */
  readonly converted: readonly string[];
  /** Programs here, and none in the commit: git was told not to look (`core.fileMode`). */
  readonly notExecutable: readonly string[];
}

/**
 * Makes committed files in a work tree what a checkout of the commit makes of them, where git has converted
 * them for it: else whatever reads them here reads other bytes than in a clone. A file with a `filter` attribute
 * is left alone, for only its own program knows its bytes. Git hooks and filters do not run. The index learns of what
 * was written. Starts no git process where nothing can be converted; else one, three where a file may be, and one where
 * any was.
 *
 * @throws {GitError} `ERR_SNAPSHOT_FAILED` where a file cannot be read, `ERR_GIT_FAILED`; the system's error
 *   where one cannot be written; the signal's reason when aborted.
 * @see SPEC.md, "As a checkout gives it"
 */
export async function asCheckedOut({
  repository,
  algorithm,
  config,
  files,
  signal,
}: CheckedOutOptions): Promise<NotCheckedOut> {
  const { root } = repository;
  const contents = readContents(
    root,
    files.map(({ path }) => path),
    algorithm,
  );
  const pairs = files.flatMap((file, at) => {
    const now = contents[at];
    return now?.mode === "100644" || now?.mode === "100755" ? [{ file, now }] : [];
  });
  const notExecutable = pairs
    .filter(({ file, now }) => file.mode === "100644" && now.mode === "100755")
    .map(({ file: { path } }) => path)
    .filter((path) => isProgram(root, path));
  const paths = pairs.map(({ file }) => file.path);
  const isPlain =
    pairs.every(({ file, now }) => file.id === now.id) &&
    !isCrlf(config) &&
    !mayHaveAttributes(repository, paths, config);
  if (isPlain) return { converted: [], notExecutable };
  const attributes = await attributesOf(root, paths, signal);
  const differing = pairs.filter(({ file, now }) => {
    const own = attributes.get(file.path) ?? new Map<string, string>();
    return !own.has("filter") && (file.id !== now.id || isConverted(own, config));
  });
  const converted = await writeAsCheckedOut(repository, differing, signal);
  return { converted, notExecutable };
}

const ASKED = ["filter", "text", "eol", "working-tree-encoding", "ident"] as const;

/** Whether a checkout may write other bytes than the blob's. */
function isConverted(attributes: ReadonlyMap<string, string>, config: Config): boolean {
  return (
    attributes.get("eol") === "crlf" ||
    attributes.has("working-tree-encoding") ||
    attributes.has("ident") ||
    (isCrlf(config) && attributes.get("text") !== "unset")
  );
}

function isCrlf(config: Config): boolean {
  return config.get("core.autocrlf") === "true" || config.get("core.eol") === "crlf";
}

/** By path, those that are set; `text` also where it is unset. */
async function attributesOf(
  root: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const found = new Map<string, Map<string, string>>();
  if (paths.length === 0) return found;
  const args = ["check-attr", "-z", "--stdin", ...ASKED];
  const input = `${paths.join("\0")}\0`;
  const fields = (await gitOutput("read", root, args, { signal, input })).split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", name = "", value = ""] = fields.slice(at, at + 3);
    if (value === "unspecified" || (value === "unset" && name !== "text")) continue;
    found.set(path, (found.get(path) ?? new Map<string, string>()).set(name, value));
  }
  return found;
}

interface Pair {
  readonly file: LandedFile;
  /** What is on disk. */
  readonly now: Content;
}

/**
 * Writes files anew that are not what a checkout gives. Only what git takes for the committed file is: anything else
 * is somebody's change.
 *
 * @returns Paths of those that were something else.
 */
async function writeAsCheckedOut(
  { root, gitDir }: Pick<Repository, "root" | "gitDir">,
  pairs: readonly Pair[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  // Git is given these one a line.
  const named = pairs.filter(({ file: { path } }) => !/^"|\n/u.test(path));
  if (named.length === 0) return [];
  const list = (end: string): string => named.map(({ file }) => `${file.path}${end}`).join("");
  const hash = ["hash-object", "--stdin-paths"];
  const ids = (await gitOutput("read", root, hash, { signal, input: list("\n") })).split("\n");
  const same = named.filter(({ file }, at) => ids[at] === file.id);
  const index = join(gitDir, `index.quasar-${randomBytes(8).toString("hex")}`);
  const folder = mkdtempSync(join(tmpdir(), "quasar-checkout-"));
  try {
    const run = { signal, env: { GIT_INDEX_FILE: index } };
    await gitOutput("keep", root, ["read-tree", "HEAD"], run);
    const out = ["checkout-index", `--prefix=${folder}/`, "-z", "--stdin"];
    await gitOutput("keep", root, out, { ...run, input: list("\0") });
    const written = same.filter(({ file, now }) =>
      replaceBy(join(folder, file.path), fileOf(root, file.path), now),
    );
    if (written.length === 0) return [];
    const paths = written.map(({ file }) => file.path);
    // By another size alone git takes a file for changed.
    const input = `${paths.join("\0")}\0`;
    await gitOutput("write", root, ["update-index", "-z", "--stdin"], { signal, input });
    return paths;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

/** @returns Whether the file has been made another: it held what was seen of it, and not what is wanted. */
function replaceBy(wanted: string, file: Buffer, seen: Content): boolean {
  const bytes = readFileSync(wanted);
  const algorithm = algorithmOfId(seen.id);
  if (objectId("blob", bytes, algorithm) === seen.id) return false;
  // Named as a file that is half written: should the runner die here, no commit takes it in.
  const ending = Buffer.from(`.tmp.${process.pid}.${randomBytes(6).toString("hex")}`);
  const half = Buffer.concat([file, ending]);
  writeFileSync(half, bytes, { flag: "wx", mode: lstatSync(file).mode & 0o777 });
  const isSeen = objectId("blob", readFileSync(file), algorithm) === seen.id;
  if (isSeen) renameSync(half, file);
  else rmSync(half);
  return isSeen;
}

/** By its first bytes: on some disks every file is executable. */
function isProgram(root: string, path: string): boolean {
  const fd = openSync(fileOf(root, path), "r");
  try {
    const start = Buffer.alloc(2);
    readSync(fd, start);
    return PROGRAMS.has(start.toString("latin1"));
  } finally {
    closeSync(fd);
  }
}

/** Scripts, ELF, and Mach-O of 64 bits. */
const PROGRAMS: ReadonlySet<string> = new Set(["#!", "\u007fE", "\u00cf\u00fa"]);

function fileOf(root: string, path: string): Buffer {
  return pathBytes(root, Buffer.from(path).toString("latin1"));
}
