import { rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { DurableError, readWholeFile, replaceFile } from "@quasar/durable";
import { ignoring } from "../errno.ts";
import { takeRemovableLock } from "../removal/removable-lock.ts";

/** Which tasks work in a repository, and which git hooks have our block. */
export interface Registry {
  /** Oldest first. */
  readonly tasks: readonly RegisteredTask[];
  readonly hooks: readonly RegisteredHook[];
}

/** Both are absolute paths without links. */
export interface RegisteredTask {
  readonly taskDir: string;
  /** The root of the work tree that the task works in. */
  readonly worktree: string;
}

export interface RegisteredHook {
  /** The git hook's file. */
  readonly path: string;
  /** Whether the folder that it is in was made for it. */
  readonly madeFolder: boolean;
}

const EMPTY_REGISTRY: Registry = { tasks: [], hooks: [] };

const MAX_BYTES = 2 ** 20;

/**
 * Reads the registry of a repository, without its lock; one that cannot be read is empty.
 *
 * @param commonDir - The git folder that all work trees share.
 */
export function readRegistry(commonDir: string): Registry {
  try {
    const bytes = readWholeFile(registryFile(commonDir), { maxBytes: MAX_BYTES });
    return bytes === undefined ? EMPTY_REGISTRY : decode(JSON.parse(Buffer.from(bytes).toString()));
  } catch (error) {
    if (error instanceof DurableError || error instanceof SyntaxError) return EMPTY_REGISTRY;
    throw error;
  }
}

/** What a change is given, under the registry's lock. */
export interface OpenRegistry {
  readonly registry: Registry;
  /** Replaces it; may be called more than once. */
  readonly save: (registry: Registry) => void;
}

/**
 * Changes the registry of a repository, one process at a time. An empty one leaves nothing behind.
 *
 * @throws {DurableError} `ERR_LOCKED` after ten seconds; `ERR_NOT_DURABLE`; `ERR_UNSAFE_DIRECTORY`.
 */
export async function changeRegistry<T>(
  commonDir: string,
  change: (open: OpenRegistry) => T,
  signal?: AbortSignal,
): Promise<T> {
  const folder = join(commonDir, "quasar");
  const lockFile = join(folder, "git-hook.lock");
  const lock = await takeRemovableLock(lockFile, { signal });
  let isEmpty = false;
  try {
    const save = (registry: Registry): void => write(commonDir, registry);
    const result = change({ registry: readRegistry(commonDir), save });
    const { tasks, hooks } = readRegistry(commonDir);
    isEmpty = tasks.length + hooks.length === 0;
    if (isEmpty) {
      for (const file of [registryFile(commonDir), lockFile]) {
        ignoring(["ENOENT"], () => unlinkSync(file));
      }
    }
    return result;
  } finally {
    lock.release();
    if (isEmpty) ignoring(["ENOENT", "ENOTEMPTY", "EEXIST"], () => rmdirSync(folder));
  }
}

function registryFile(commonDir: string): string {
  return join(commonDir, "quasar", "git-hook.json");
}

function write(commonDir: string, { tasks, hooks }: Registry): void {
  const stored = {
    version: 1,
    tasks: tasks.map(({ taskDir, worktree }) => ({ task_dir: taskDir, worktree })),
    hooks: hooks.map(({ path, madeFolder }) => ({ path, made_folder: madeFolder })),
  };
  const text = `${JSON.stringify(stored, undefined, 2)}\n`;
  replaceFile(registryFile(commonDir), Buffer.from(text), { keepPrevious: false });
}

/** What is not as we write it is left out: it is a note of ours, not a truth. */
function decode(value: unknown): Registry {
  const { version, tasks, hooks } = fieldsOf(value);
  if (version !== 1) return EMPTY_REGISTRY;
  return {
    tasks: listOf(tasks).flatMap(({ task_dir, worktree }) =>
      typeof task_dir === "string" && typeof worktree === "string"
        ? [{ taskDir: task_dir, worktree }]
        : [],
    ),
    hooks: listOf(hooks).flatMap(({ path, made_folder }) =>
      typeof path === "string" ? [{ path, madeFolder: made_folder === true }] : [],
    ),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
