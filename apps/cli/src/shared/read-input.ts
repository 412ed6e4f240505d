import { realpathSync } from "node:fs";
import { type DurableError, readWholeFile } from "@quasar/durable";
import { codeOf } from "@quasar/runs/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { CliError, type CliErrorCode } from "./errors.ts";

export interface ReadInputOptions {
  /** The file may not be larger than this many bytes. */
  readonly maxBytes: number;
  /** Of the error for a file that is there but is no good. */
  readonly code: CliErrorCode;
  /** Whether a symbolic link at the path's end is followed. @default false */
  readonly followLink?: boolean | undefined;
  /** Whether a byte order mark at its beginning is part of the text, for who writes it back. @default false */
  readonly keepMark?: boolean | undefined;
}

/**
 * Reads a small text file that somebody else may have made: a regular file of well-formed UTF-8,
 * read without waiting for a writer. `undefined` when there is none.
 *
 * @throws {CliError} With the given code.
 */
export function readInput(path: string, options: ReadInputOptions): string | undefined {
  const { maxBytes, code, followLink = false, keepMark = false } = options;
  const shown = cleanLine(path);
  try {
    const bytes = readWholeFile(followLink ? realpathSync(path) : path, { maxBytes });
    if (bytes === undefined) return undefined;
    const text = decode(bytes, keepMark);
    if (text === undefined) throw new CliError(code, `${shown} is not UTF-8 text`);
    return text;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const reason = codeOf(error);
    if (reason === "ENOENT") return undefined;
    const why = REASONS[reason] ?? `cannot be read (${reason})`;
    const limit = reason === "ERR_TOO_LARGE" ? ` than ${maxBytes} bytes` : "";
    const next = [`ls -la ${shellWord(shown)}`];
    throw new CliError(code, `${shown} ${why}${limit}`, { cause: error, next });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_NOT_REGULAR: "is not a regular file",
  ERR_TOO_LARGE: "is larger",
} satisfies Partial<Record<DurableError["code"], string>>;

/** Text of well-formed UTF-8; `undefined` for other bytes. */
export function decode(bytes: Uint8Array, keepMark: boolean = false): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: keepMark }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
