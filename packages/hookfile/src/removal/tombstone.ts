import { hash } from "node:crypto";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  DurableError,
  type DurableOptions,
  type FileSystem,
  nodeFileSystem,
  readWholeFile,
  recoverDirectory,
  removeFile,
  replaceFile,
} from "@quasar/durable";
import { HookFileError } from "../errors.ts";
import { hiddenFiles } from "../store/exact-modes.ts";
import { TASK_FILES } from "../store/files.ts";
import { decodeHookFile } from "../store/hook-codec.ts";
import type { HookFile } from "../store/hook-file.ts";

/** The last of a chain of receipts, as `@quasar/receipts` tells it. */
export interface ReceiptsHead {
  readonly count: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

export interface BuryOptions extends DurableOptions {
  readonly now: Date;
  /** When the task came to its end: RFC 3339. */
  readonly endedAt: string;
  /** @default the tombstone says only how many receipts there were */
  readonly receiptsHead?: ReceiptsHead | undefined;
}

/** More than any of the files has. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Removes a task's hook file, HOOK.md and history. An archive of them is written first, then a
 * tombstone: with it there is no task any more. After a crash the task is there whole, or the
 * tombstone with a whole archive; {@link clearRemains} then ends what was begun.
 *
 * Call it while `run.lock` and `hook.lock` are held, or where nobody can hold them.
 *
 * @throws {DurableError} `ERR_NOT_DURABLE`; {@link HookFileError} `ERR_DAMAGED` where there is no
 *   hook.json.
 * @see SPEC.md, "Cleanup"
 */
export function buryTask(dir: string, hook: HookFile, options: BuryOptions): void {
  const { fs = hiddenFiles } = options;
  const archive = [TASK_FILES.hook, ...historyFiles(fs, dir)].map((name) => {
    const bytes = readWholeFile(join(dir, name), { fs, maxBytes: MAX_BYTES });
    if (bytes === undefined) throw new HookFileError("ERR_DAMAGED", `there is no ${name}`);
    const packed = join(dir, TASK_FILES.archive, `${name}.gz`);
    replaceFile(packed, gzipSync(bytes), { ...options, fs, keepPrevious: false });
    return { name, bytes: bytes.length, sha256: hash("sha256", bytes) };
  });
  const tombstone = `${JSON.stringify({ ...inscription(hook, options), archive }, undefined, 2)}\n`;
  const path = join(dir, TASK_FILES.tombstone);
  replaceFile(path, Buffer.from(tombstone), { ...options, fs, keepPrevious: false });
  clear(dir, options);
}

/** Whether a task was removed here. */
export function isBuried(dir: string, { fs = nodeFileSystem }: DurableOptions = {}): boolean {
  return fs.lstat(join(dir, TASK_FILES.tombstone)) !== undefined;
}

/** A task that was removed, as its archive and its tombstone have it. */
export interface ArchivedTask {
  readonly hook: HookFile;
  readonly receiptsHead: ReceiptsHead | undefined;
}

/**
 * Reads the archive of a task that was removed; `undefined` where there is no tombstone.
 *
 * @throws {HookFileError} `ERR_DAMAGED` where the archive is not what the tombstone says;
 *   `ERR_INCOMPATIBLE_VERSION`.
 */
export function readArchive(
  dir: string,
  { fs = nodeFileSystem }: DurableOptions = {},
): ArchivedTask | undefined {
  const stone = readWholeFile(join(dir, TASK_FILES.tombstone), { fs, maxBytes: MAX_BYTES });
  if (stone === undefined) return undefined;
  try {
    const text = Buffer.from(stone).toString();
    const { archive = [], receipts } = JSON.parse(text) as Inscription;
    const path = join(dir, TASK_FILES.archive, `${TASK_FILES.hook}.gz`);
    const packed = readWholeFile(path, { fs, maxBytes: MAX_BYTES }) ?? new Uint8Array();
    const bytes = gunzipSync(packed, { maxOutputLength: MAX_BYTES });
    const { sha256 } = archive.find(({ name }) => name === TASK_FILES.hook) ?? {};
    if (hash("sha256", bytes) !== sha256) throw new Error("it is not what was archived");
    return { hook: decodeHookFile(bytes), receiptsHead: headIn(receipts?.head) };
  } catch (error) {
    if (error instanceof HookFileError || error instanceof DurableError) throw error;
    const message = `${dir}: the archive cannot be read: ${(error as Error).message}`;
    throw new HookFileError("ERR_DAMAGED", message, { cause: error });
  }
}

/** What of a tombstone is read again. */
interface Inscription {
  readonly archive?: readonly { readonly name: string; readonly sha256: string }[];
  readonly receipts?: { readonly head?: unknown };
}

function headIn(head: unknown): ReceiptsHead | undefined {
  if (typeof head !== "object" || head === null) return undefined;
  const { count, sha256 } = head as Partial<ReceiptsHead>;
  return typeof count === "number" && typeof sha256 === "string" ? { count, sha256 } : undefined;
}

/** What of a removed task a crash has left, hook.json last; empty where all is gone. */
export function remainsOf(
  dir: string,
  { fs = nodeFileSystem }: DurableOptions = {},
): readonly string[] {
  const names = [
    TASK_FILES.hookMd,
    ...historyFiles(fs, dir),
    TASK_FILES.heartbeat,
    TASK_FILES.hook,
  ];
  return names.filter((name) => fs.lstat(join(dir, name)) !== undefined);
}

/** Removes what is left of a task that has a tombstone; does nothing where there is none. */
export function clearRemains(dir: string, options: DurableOptions = {}): void {
  if (!isBuried(dir, options)) return;
  // Who wrote the tombstone may have been killed before it was on disk.
  recoverDirectory(dir, { ...options, accept: (name) => name === TASK_FILES.tombstone });
  clear(dir, options);
}

function clear(dir: string, options: DurableOptions): void {
  for (const name of remainsOf(dir, options)) removeFile(join(dir, name), options);
}

function historyFiles(fs: FileSystem, dir: string): readonly string[] {
  const folder = join(dir, TASK_FILES.history);
  if (fs.lstat(folder)?.kind !== "directory") return [];
  const names = fs.readdir(folder).filter((name) => /^[1-9]\d*\.jsonl$/.test(name));
  return names.toSorted().map((name) => `${TASK_FILES.history}/${name}`);
}

function inscription(hook: HookFile, { now, endedAt, receiptsHead }: BuryOptions): object {
  return {
    version: 1,
    task_id: hook.taskId,
    workspace_id: hook.workspaceId,
    title: hook.title,
    template: hook.template,
    branch: hook.branch,
    state: hook.state,
    created_at: hook.createdAt,
    ended_at: endedAt,
    removed_at: now.toISOString(),
    revision: hook.revision,
    history: { count: hook.counts.events, head: hook.head },
    receipts: { count: hook.counts.receipts, head: receiptsHead },
  };
}
