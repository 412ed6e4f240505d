import { dirname, resolve } from "node:path";
import { DurableError, errnoOf } from "./errors.ts";
import { nodeFileSystem } from "./file-system.ts";
import type { FileSystem } from "./file-system.ts";
import { refuseLinkedDirectory } from "./directory.ts";
import { generationName, listGenerations } from "./names.ts";
import type { ReadFileOptions } from "./read.ts";
import { readWholeFile } from "./read.ts";

/** What was found, and what to tell about the way to it. */
export interface LoadedFile<T> {
  readonly value: T;
  /** `previous`: the file itself is missing or was refused, this is the newest generation beside it. */
  readonly source: "current" | "previous";
  /** The name that was read. */
  readonly path: string;
  /** Why newer names were passed over, newest first; empty when none was. */
  readonly problems: readonly Error[];
}

/**
 * The newest generation of a file that `parse` accepts; `undefined` only where there is none at all.
 *
 * @param parse - Throws at bytes that are not whole. It may read other files: a system error of that
 *   but EIO says nothing about these bytes, and passes through as if the file could not be read.
 * @throws {DurableError} `ERR_DAMAGED` where there are generations but none is acceptable; its cause
 *   is an `AggregateError` with a reason for each.
 * @see SPEC.md, "Load"
 */
export function loadFile<T>(
  path: string,
  parse: (bytes: Uint8Array) => T,
  options: ReadFileOptions,
): LoadedFile<T> | undefined {
  const { fs = nodeFileSystem } = options;
  const file = resolve(path);
  const problems: Error[] = [];
  refuseLinkedDirectory(fs, dirname(file));

  let current = attempt(file, parse, options, problems);
  const names = current === undefined ? generationsOf(fs, file) : [];
  if (current === undefined && problems.length === 0) {
    if (names.length === 0) return undefined;
    // Its first saves may have come between the two looks.
    current = attempt(file, parse, options, problems);
  }
  if (current !== undefined) {
    return { value: current.value, source: "current", path: file, problems };
  }
  if (problems.length === 0) {
    problems.push(new DurableError("ERR_MISSING", `${path} is missing, but was there`));
  }
  for (const name of names) {
    const found = attempt(name, parse, options, problems);
    if (found !== undefined)
      return { value: found.value, source: "previous", path: name, problems };
  }
  const cause = new AggregateError(problems, problems.map((problem) => problem.message).join("; "));
  throw new DurableError("ERR_DAMAGED", `${path} has no generation that can be used`, { cause });
}

/** The other names that generations of a file have, newest first. The file itself is not among them. */
function generationsOf(fs: FileSystem, file: string): readonly string[] {
  return listGenerations(fs, file)
    .map((number) => generationName(file, number))
    .toReversed();
}

function attempt<T>(
  path: string,
  parse: (bytes: Uint8Array) => T,
  options: ReadFileOptions,
  problems: Error[],
): { value: T } | undefined {
  try {
    const bytes = readWholeFile(path, options);
    return bytes && { value: parse(bytes) };
  } catch (error) {
    // What may pass (no descriptor left, no permission) must not bring back an older state.
    const errno = errnoOf(error);
    if (errno !== undefined && errno !== "EIO") throw error;
    problems.push(error instanceof Error ? error : new Error(String(error)));
    return undefined;
  }
}
