import { committer, disarmFilters, readConfig } from "./config.ts";
import { importCommit } from "./fast-import.ts";
import type { SignalOptions } from "./head.ts";
import { checkPrefix, createRef, listRefs } from "./refs.ts";
import { openRepository, type Repository } from "./repository.ts";
import { gitOutput } from "./run.ts";
import { setCachesApart } from "./caches.ts";
import { parseStagedOnly, parseStatus, STATUS, statusHead } from "./status.ts";
import { oneLine } from "./text.ts";
import { type CommitStream, commitStream } from "./tree-stream.ts";
import { formatTrailers } from "./trailers.ts";

/** Uncommitted work, kept in a commit that is on no branch. */
export interface Snapshot {
  /** Counts the snapshots below a prefix, from 1. */
  readonly n: number;
  /** `<prefix><n>` */
  readonly ref: string;
  readonly sha: string;
  /** What HEAD was at, the commit's parent; `""` where there was no commit. */
  readonly head: string;
  /** RFC 3339, to the second. */
  readonly createdAt: string;
  /** One line. */
  readonly message: string;
}

export interface TakenSnapshot extends Snapshot {
  /** The one after it, of what was staged and different from the files; most often there is none. */
  readonly staged: Snapshot | undefined;
}

export interface TakeSnapshotOptions extends SignalOptions {
  /** Where its ref goes: `refs/quasar/<run id>/`. */
  readonly prefix: string;
  /** Any text: it becomes one line. */
  readonly message: string;
  /** By name, in order; see `TRAILER`. @default {} */
  readonly trailers?: Readonly<Record<string, string>> | undefined;
  /** The highest number that is taken, where there are snapshots without refs. @default 0 */
  readonly after?: number | undefined;
  /** What `openRepository` has just said of the folder. @default asked of it: a process more */
  readonly repository?: Repository | undefined;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

/** What this product writes for itself in a work tree's root: never a part of anybody's work. */
export const OWN_FOLDER = ".quasar";

/** {@link OWN_FOLDER}, and what `atlas init` writes: settings, which a person commits. From the work tree's root. */
export const OWN_PATHS: readonly string[] = [OWN_FOLDER, ".atlas/config.toml", ".atlas/.gitignore"];

/**
 * Keeps everything in the work tree that is not committed in a commit below `refs/quasar/`: deletions
 * and untracked files included, ignored ones and {@link OWN_PATHS} not. Contents that only the index holds are in
 * a snapshot of their own. HEAD, branch, index, stash, reflog
 * and files stay as they are; nothing that the repository names runs. Starts five git processes, two
 * where nothing is uncommitted, and one more where the `repository` is not given.
 *
 * @param workTree - Any folder of the work tree; all of it is kept.
 * @returns `undefined` when nothing is uncommitted.
 * @throws {GitError} `ERR_SNAPSHOT_FAILED`, `ERR_INVALID_ARGUMENT`, `ERR_BROKEN_HEAD`,
 *   `ERR_FOREIGN_WORK_TREE`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the
 *   signal's reason when aborted.
 * @see SPEC.md, "Snapshots"
 */
export async function takeSnapshot(
  workTree: string,
  options: TakeSnapshotOptions,
): Promise<TakenSnapshot | undefined> {
  const { message, trailers = {}, after = 0, signal, now = () => new Date() } = options;
  const prefix = checkPrefix(options.prefix);
  const subject = oneLine(message) || "(no subject)";
  const block = formatTrailers(trailers);
  const [{ root }, config] = await Promise.all([
    options.repository ?? openRepository(workTree, { signal }),
    readConfig(workTree, { signal }),
  ]);
  const output = await gitOutput("read", workTree, [...STATUS, "--branch"], {
    signal,
    encoding: "latin1",
    config: disarmFilters(config),
  });
  const { head } = await statusHead(workTree, output, { signal });
  const encoded = { signal, encoding: "latin1" } as const;
  const { dirty } = await setCachesApart("read", root, parseStatus(output), encoded);
  const paths = [...new Set(dirty.map(({ path }) => path))].filter(isKept);
  if (paths.length === 0) return undefined;

  const { name, email } = committer(config, process.env);
  const seconds = Math.floor(now().getTime() / 1000);
  const take = async (words: string, what: Pick<CommitStream, "paths" | "staged">) => {
    const stream = commitStream({
      root,
      parent: head,
      nothing: "0".repeat(config.get("extensions.objectformat") === "sha256" ? 64 : 40),
      committer: `${name} <${email}> ${seconds} +0000`,
      message: block === "" ? `${words}\n` : `${words}\n\n${block}`,
      ...what,
    });
    const making = importCommit(workTree, stream, { signal, config: [ONE_PACK] });
    const [sha, refs] = await Promise.all([making, listRefs(workTree, prefix, { signal })]);
    const last = Math.max(after, ...refs.map(({ ref }) => numberOf(ref, prefix)));
    for (let n = last + 1; ; n += 1) {
      const ref = `${prefix}${n}`;
      if (await createRef(workTree, { ref, sha }, { signal })) {
        return { n, ref, sha, head, createdAt: rfc3339(seconds), message: words };
      }
    }
  };
  const only = parseStagedOnly(output).filter(({ path }) => paths.includes(path));
  const taken = await take(subject, { paths, staged: [] });
  if (only.length === 0) return { ...taken, staged: undefined };
  return {
    ...taken,
    staged: await take(`${subject}: as it was staged`, { paths: [], staged: only }),
  };
}

/** A nested repository is listed with a `/` at its end: it has a history of its own. */
function isKept(path: string): boolean {
  return !path.endsWith("/") && !isOwnPath(path);
}

/** Whether a path, from a work tree's root, is one of {@link OWN_PATHS}, or lies within one. */
export function isOwnPath(path: string): boolean {
  return OWN_PATHS.some((own) => path === own || path.startsWith(`${own}/`));
}

/** One file to flush instead of one for each object. */
const ONE_PACK = ["fastimport.unpackLimit", "1"] as const;

/** 0 for a name that is none of a snapshot's. */
function numberOf(ref: string, prefix: string): number {
  const rest = ref.slice(prefix.length);
  return /^[1-9][0-9]{0,8}$/.test(rest) ? Number(rest) : 0;
}

function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

/**
 * The snapshots below a prefix, oldest first.
 *
 * @throws {GitError} as `listRefs` does.
 */
export async function listSnapshots(
  workTree: string,
  prefix: string,
  { signal }: SignalOptions = {},
): Promise<readonly Snapshot[]> {
  const format = "%(refname)%00%(objectname)%00%(parent)%00%(committerdate:unix)%00%(subject)%00";
  const args = ["for-each-ref", `--format=${format}`, checkPrefix(prefix)];
  const fields = (await gitOutput("read", workTree, args, { signal })).split("\0");
  const snapshots: Snapshot[] = [];
  for (let at = 0; at + 4 < fields.length; at += 5) {
    const [ref = "", sha = "", head = "", seconds = "", subject = ""] = fields
      .slice(at, at + 5)
      .map((field) => field.replace(/^\n/, ""));
    const n = numberOf(ref, prefix);
    if (n === 0 || !/^\d+$/.test(seconds)) continue;
    const createdAt = rfc3339(Number(seconds));
    snapshots.push({ n, ref, sha, head, createdAt, message: oneLine(subject) });
  }
  return snapshots.toSorted((a, b) => a.n - b.n);
}
