import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { CliError, type CliErrorCode } from "./errors.ts";
import { cleanLine } from "./output/clean.ts";

export interface ReadInputOptions {
  /** The file may not be larger than this many bytes. */
  readonly maxBytes: number;
  /** Of the error for a file that is there but is no good. */
  readonly code: CliErrorCode;
  /** Whether a symbolic link at the path's end is followed. @default false */
  readonly followLink?: boolean | undefined;
}

/**
 * Reads a small text file that somebody else may have made: a regular file of well-formed UTF-8,
 * read without waiting for a writer. Resolves to `undefined` when there is none.
 *
 * @throws {CliError} With the given code.
 */
export function readInput(path: string, options: ReadInputOptions): string | undefined {
  const refuse = (why: string): CliError => new CliError(options.code, `${cleanLine(path)} ${why}`);
  const noFollow = options.followLink === true ? 0 : constants.O_NOFOLLOW;
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    const why = code === "ELOOP" ? "is a symbolic link" : `cannot be opened (${code})`;
    throw new CliError(options.code, `${cleanLine(path)} ${why}`, { cause: error });
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw refuse("is not a regular file");
    if (stat.size > options.maxBytes) throw refuse(`is larger than ${options.maxBytes} bytes`);
    const bytes = readAtMost(fd, options.maxBytes + 1);
    if (bytes.length > options.maxBytes) throw refuse(`is larger than ${options.maxBytes} bytes`);
    return decode(bytes) ?? fail(refuse("is not UTF-8 text"));
  } finally {
    closeSync(fd);
  }
}

/** Text of well-formed UTF-8; `undefined` for other bytes. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The code of a system error, `"unknown"` for any other. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "unknown";
}

function readAtMost(fd: number, maxBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let total = 0;
  while (total < maxBytes) {
    const chunk = new Uint8Array(Math.min(65_536, maxBytes - total));
    const read = readSync(fd, chunk);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    total += read;
  }
  return Buffer.concat(chunks);
}

function fail(error: Error): never {
  throw error;
}
