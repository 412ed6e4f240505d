import { accessSync, closeSync, constants, openSync } from "node:fs";
import { errnoOf } from "./errors.ts";

/** What SQLite's results mean of a file without a byte: what it takes for damage is a disk that reads wrongly. */
const MEANINGS: Readonly<Record<number, string>> = {
  3: "EPERM",
  8: "EROFS",
  10: "EIO",
  11: "EIO",
  13: "ENOSPC",
  26: "EIO",
};

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EIO: "i/o error",
  EMFILE: "too many open files",
  ENFILE: "file table overflow",
  ENOSPC: "no space left on device",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
};

/** What SQLite says of a lock file as the system would; in SQLite's words, where nobody can say more. */
export function systemErrorOf(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  // The low byte is the kind, whatever the rest says of where.
  const meaning = MEANINGS[Number(error.errcode) & 0xff];
  const code = refusedAccess(file) ?? outOfFiles() ?? meaning ?? "ERR_SQLITE_ERROR";
  const words = WORDS[code];
  const message = words === undefined ? error.message : `${code}: ${words}, lock '${file}'`;
  return Object.assign(new Error(message, { cause: error }), { code, syscall: "lock", path: file });
}

function refusedAccess(file: string): string | undefined {
  return refusalOf(() => accessSync(file, constants.R_OK | constants.W_OK));
}

/** By another file: to open and close the locked one would free a lock that this process has. */
function outOfFiles(): string | undefined {
  return refusalOf(() => closeSync(openSync("/dev/null", constants.O_RDONLY)));
}

function refusalOf(call: () => void): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return errnoOf(error);
  }
}
