import { CliError, type CliErrorCode } from "./errors.ts";
import { codeOf } from "./read-input.ts";

type Translation = readonly [code: CliErrorCode, ...next: string[]];

/** What a library's error is to the command's user, by the library's class and code. */
const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  "GitError ERR_NOT_A_REPOSITORY": [
    "ERR_NOT_A_REPOSITORY",
    "go to your repository, or make one: git init && git add -A && git commit -m start",
  ],
  "GitError ERR_FOREIGN_WORK_TREE": ["ERR_NOT_A_REPOSITORY", "git config --unset core.worktree"],
  "GitError ERR_NO_COMMITS": ["ERR_NO_COMMITS", "git add -A && git commit -m start"],
  "GitError ERR_BROKEN_HEAD": ["ERR_NO_COMMITS", "git fsck", "git reflog"],
  "GitError ERR_GIT_MISSING": ["ERR_NOT_INSTALLED", "install git"],
  "DurableError ERR_UNSAFE_DIRECTORY": [
    "ERR_UNSAFE_PATH",
    "look at it, and remove it if it is not yours",
  ],
  "DurableError ERR_NOT_REGULAR": [
    "ERR_UNSAFE_PATH",
    "look at it, and remove it if it is not yours",
  ],
  "DurableError ERR_UNSAFE_MODE": [
    "ERR_STATE",
    "chmod 600 on that file, if nobody else has read it",
  ],
  "DurableError ERR_NOT_DURABLE": ["ERR_STATE", "look for a full or read-only disk: df -h ."],
  "CheckpointError ERR_GIT_SHA_MISMATCH": ["ERR_HEAD_MOVED", "quasar resume --accept-head"],
  "CheckpointError ERR_DAMAGED": ["ERR_CORRUPT", "quasar status"],
  "CheckpointError ERR_INVALID_CHECKPOINT": ["ERR_CORRUPT", "quasar status"],
  "CheckpointError ERR_TOO_LARGE": ["ERR_STATE", "quasar status"],
  "CheckpointError ERR_INCOMPATIBLE_VERSION": [
    "ERR_STATE",
    "use the version of quasar that wrote it",
  ],
};

/** Says a library's error in the command's words, with what to do about it. */
export function translate(error: unknown): CliError {
  const message = messageOf(error);
  const known = error instanceof Error ? TRANSLATIONS[`${error.name} ${codeOf(error)}`] : undefined;
  if (known === undefined) {
    const next = ["the same command with QUASAR_DEBUG=1 shows where it happened"];
    return new CliError("ERR_UNEXPECTED", message, { cause: error, next });
  }
  const [code, ...next] = known;
  return new CliError(code, message, { cause: error, next });
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === "" ? "unknown failure" : message;
}
