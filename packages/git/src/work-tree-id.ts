import { lstatSync } from "node:fs";
import { setImmediate as pause } from "node:timers/promises";
import { type Algorithm, objectId } from "./blob.ts";
import { algorithmOf, readConfig } from "./config.ts";
import { GitError, isGone, messageOf } from "./errors.ts";
import { announced } from "./git-work.ts";
import { currentHead, type SignalOptions } from "./head.ts";
import { openRepository } from "./repository.ts";
import { gitOutput } from "./run.ts";
import { type SeenFiles, seenFiles } from "./seen-files.ts";
import { isOwnPath } from "./snapshots.ts";
import { quoted } from "./text.ts";
import { pathBytes } from "./tree-stream.ts";

export interface WorkTreeIdOptions extends SignalOptions {
  /** What files held at an earlier look: those that have not changed since are not read. @default nothing */
  readonly seen?: SeenFiles | undefined;
}

/**
 * The id that a git tree of exactly what is in the work tree has: tracked and untracked files byte by
 * byte, without a filter or a conversion of line endings; deleted and ignored ones not, nor an
 * untracked `.quasar/`. Where nothing is converted, it is the tree of the commit that `commitAll` would make.
 *
 * Reads every file but those `seen`, and believes nothing that the repository's index says of them; writes nothing, no object, index or ref, and starts three git processes, three more
 * for each repository within, which counts as its commit where its work tree is that commit's,
 * else as a folder of its files.
 *
 * @param workTree - Any folder of the work tree; the id is of all of it.
 * @throws {GitError} `ERR_SNAPSHOT_FAILED` where a file cannot be read, or changes while it is;
 *   `ERR_FOREIGN_WORK_TREE`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's
 *   reason when aborted.
 * @see SPEC.md, "The work tree's id"
 */
export function workTreeId(workTree: string, options: WorkTreeIdOptions = {}): Promise<string> {
  return announced("read files", () => readWorkTree(workTree, options));
}

async function readWorkTree(workTree: string, options: WorkTreeIdOptions): Promise<string> {
  const { signal, seen = seenFiles() } = options;
  const [{ root }, config] = await Promise.all([
    openRepository(workTree, options),
    readConfig(workTree, options),
  ]);
  const algorithm = algorithmOf(config);
  const listing = await gitOutput("read", root, LISTING, { signal, encoding: "latin1" });
  const prefix = `${pathBytes(root, "").toString("latin1")}/`;
  const reader: Reader = {
    root,
    prefix,
    algorithm,
    seen,
    folders: new Map([["", true]]),
    unpaused: 0,
  };
  const top: Folder = new Map();
  for (const listed of parseListing(listing)) {
    const found = entryOf(reader, listed, options);
    const entry = found instanceof Promise ? await found : found;
    if (entry !== undefined) put(top, listed.path, entry);
    if (reader.unpaused < PAUSE_AT) continue;
    reader.unpaused = 0;
    await pause(undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
  return treeOf(reader, top);
}

const LISTING = [
  ...["ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard"],
] as const;

/** What git names: in the index, or untracked. Paths are bytes, one a character. */
interface Listed {
  readonly path: string;
  /** Of the index. */
  readonly entry?: Entry | undefined;
  /** Git takes it to be as in the index where it is not there: a sparse checkout. */
  readonly isSkipped: boolean;
}

interface Entry {
  readonly mode: "100644" | "100755" | "120000" | "160000" | "40000";
  readonly id: string;
}

type Folder = Map<string, Entry | Folder>;

interface Reader {
  readonly root: string;
  /** Before each path: bytes, one a character. */
  readonly prefix: string;
  readonly algorithm: Algorithm;
  readonly seen: SeenFiles;
  /** What was found of folders. */
  readonly folders: Map<string, boolean>;
  /** Bytes read, and a share for each file, since others could last do something. */
  unpaused: number;
}

const PAUSE_AT = 2 ** 24;
const SHARE_OF_FILE = 2 ** 17;

const CACHED = /^([A-Za-z]) (100644|100755|120000|160000) ([0-9a-f]{40,64}) [0-3]\t/;

/** Of a path in conflict one is enough: what counts is what is on disk. */
function parseListing(listing: string): Iterable<Listed> {
  const found = new Map<string, Listed>();
  for (const line of listing.split("\0").slice(0, -1)) {
    const [start, tag, mode, id = ""] = CACHED.exec(line) ?? [];
    if (start === undefined) {
      const path = line.slice("? ".length);
      if (!isOwnPath(path.replace(/\/$/, ""))) found.set(path, { path, isSkipped: false });
    } else {
      const path = line.slice(start.length);
      found.set(path, { path, entry: { mode: mode as Entry["mode"], id }, isSkipped: tag === "S" });
    }
  }
  return found.values();
}

function entryOf(
  reader: Reader,
  { path, entry, isSkipped }: Listed,
  options: WorkTreeIdOptions,
): Entry | undefined | Promise<Entry | undefined> {
  const plain = path.replace(/\/$/, "");
  if (plain !== path || entry?.mode === REPOSITORY) {
    return isFolder(reader, plain) ? repositoryAt(reader, plain, entry, options) : undefined;
  }
  const found = isFolder(reader, folderOf(path)) ? fileAt(reader, path) : undefined;
  return found ?? (isSkipped ? entry : undefined);
}

const REPOSITORY = "160000";

/** A submodule, or a repository that git does not track. */
async function repositoryAt(
  reader: Reader,
  path: string,
  entry: Entry | undefined,
  options: WorkTreeIdOptions,
): Promise<Entry | undefined> {
  const dir = pathBytes(reader.root, path).toString();
  const { root } = await openRepository(dir, options);
  if (root !== dir) return entry; // it is not checked out: there is nothing of it
  const id = await readWorkTree(dir, options);
  const { head } = await currentHead(dir, options);
  if (head === "") return { mode: "40000", id };
  const args = ["rev-parse", "--verify", "-q", `${head}^{tree}`];
  const tree = (await gitOutput("read", dir, args, options)).trim();
  return tree === id ? { mode: REPOSITORY, id: head } : { mode: "40000", id };
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Whether all on the way to a folder are folders. Behind a link nothing is of the work tree. */
function isFolder(reader: Reader, path: string): boolean {
  const known = reader.folders.get(path);
  if (known !== undefined) return known;
  const isOne =
    isFolder(reader, folderOf(path)) &&
    unlessGone(path, () => lstatSync(pathBytes(reader.root, path)).isDirectory()) === true;
  reader.folders.set(path, isOne);
  return isOne;
}

/** A file or a link as it is now; `undefined` where there is none, be there a folder or a device. */
function fileAt(reader: Reader, path: string): Entry | undefined {
  const file = Buffer.from(reader.prefix + path, "latin1");
  reader.unpaused += SHARE_OF_FILE;
  const blob = unlessGone(path, () => reader.seen.blobAt(file, reader.algorithm));
  if (blob === undefined || blob === "folder") return undefined;
  const { mode, id, size } = blob;
  reader.unpaused += size;
  return { mode, id };
}

function unlessGone<T>(path: string, look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isGone(error)) return undefined;
    const shown = quoted(Buffer.from(path, "latin1").toString("utf8"));
    const message = `${shown} could not be read: ${messageOf(error)}`;
    throw new GitError("ERR_SNAPSHOT_FAILED", message, { cause: error });
  }
}

function put(top: Folder, path: string, entry: Entry): void {
  const parts = path.replace(/\/$/, "").split("/");
  const name = parts.pop() ?? "";
  let folder = top;
  for (const part of parts) {
    const found = folder.get(part);
    const next: Folder = found instanceof Map ? found : new Map();
    folder.set(part, next);
    folder = next;
  }
  folder.set(name, entry);
}

/** Git sorts by bytes, folders as if their names ended in `/`. */
function treeOf(reader: Reader, folder: Folder): string {
  const entries = [...folder].map(([name, found]) => {
    const { mode, id }: Entry =
      found instanceof Map ? { mode: "40000", id: treeOf(reader, found) } : found;
    const bytes = [Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(id, "hex")];
    return { key: mode === "40000" ? `${name}/` : name, bytes };
  });
  entries.sort((a, b) => (a.key < b.key ? -1 : 1));
  return objectId("tree", Buffer.concat(entries.flatMap(({ bytes }) => bytes)), reader.algorithm);
}
