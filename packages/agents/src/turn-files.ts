import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { AgentsError } from "./errors.ts";

/** The files of a turn: `<n>.start`, `.out`, `.exit` in the folder of its run's turns. */
export interface TurnFiles {
  readonly dir: string;
  /** Path of the turn's file with the given ending. */
  readonly path: (ending: string) => string;
}

/**
 * @param dir - Absolute path.
 * @throws {AgentsError} `ERR_INVALID_RUN_ID` for a turn's id that is not `<run id>.<n>`.
 */
export function turnFiles(
  dir: string,
  { runId, turnId }: { readonly runId: string; readonly turnId: string },
): TurnFiles {
  const n = turnId.startsWith(`${runId}.`) ? turnId.slice(runId.length + 1) : "";
  if (!/^[1-9]\d{0,8}$/.test(n)) {
    throw new AgentsError("ERR_INVALID_RUN_ID", `${JSON.stringify(turnId)} is no turn's id`);
  }
  return { dir, path: (ending) => join(dir, `${n}.${ending}`) };
}

/** The files of the turns before one, in its run, the last first. */
export function* turnsBefore(
  dir: string,
  { runId, turnId }: { readonly runId: string; readonly turnId: string },
): Generator<TurnFiles> {
  for (let n = Number(turnId.slice(runId.length + 1)) - 1; n > 0; n -= 1) {
    yield turnFiles(dir, { runId, turnId: `${runId}.${n}` });
  }
}

const NOT_THERE = ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"];
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Opens a turn's file to be read: no link is followed, no pipe waited for. `undefined`: not there. */
export function openTurnFile(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (NOT_THERE.some((code) => hasCode(error, code))) {
      return undefined;
    }
    throw error;
  }
  let isFile = false;
  try {
    isFile = fstatSync(fd).isFile();
  } finally {
    if (!isFile) closeSync(fd);
  }
  return isFile ? fd : undefined;
}

/** Whether there is such a file, to be read. */
export function isTurnFile(path: string): boolean {
  const fd = openTurnFile(path);
  if (fd !== undefined) closeSync(fd);
  return fd !== undefined;
}

/** The object that a small JSON file holds; `undefined` for none, whatever is there instead. */
export function readJsonFile(path: string): Readonly<Record<string, unknown>> | undefined {
  const fd = openTurnFile(path);
  if (fd === undefined) {
    return undefined;
  }
  try {
    const bytes = Buffer.alloc(MAX_JSON_BYTES + 1);
    const size = readSync(fd, bytes, 0, bytes.length, 0);
    const value: unknown =
      size > MAX_JSON_BYTES ? undefined : JSON.parse(bytes.toString("utf8", 0, size));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  } finally {
    closeSync(fd);
  }
}

const MAX_JSON_BYTES = 256 * 1024;

/** How the turn was begun. Its end repeats it, as a power cut may take what was written at the start. */
export function beginningOf(files: TurnFiles): Readonly<Record<string, unknown>> {
  const told = ["exit", "start"].map((ending) => readJsonFile(files.path(ending)));
  return told.find((each) => each?.["agent"] !== undefined) ?? {};
}

/** What the agent that began the turn needs to read its output. */
export function contextOf(files: TurnFiles): unknown {
  return beginningOf(files)["context"];
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
