import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { AgentsErrorCode } from "@quasar/agents";
import type { CheckpointErrorCode } from "@quasar/checkpoint";
import type { DurableErrorCode } from "@quasar/durable";
import { GitError, type GitErrorCode } from "@quasar/git";
import type { LoopErrorCode } from "@quasar/loop";
import type { NebulaError, NebulaErrorCode } from "@quasar/nebula";
import type { PortErrorCode } from "@quasar/nebula/port";
import { type NextStep, RunsError } from "@quasar/runs";
import { codeOf, messageOf } from "@quasar/runs/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { CliError, type CliErrorCode } from "./errors.ts";
import { errnoIn, errnoOf, isOfSystem, refusalNext, refusalWords } from "./system-errors.ts";

type LibraryError =
  | `AgentsError ${AgentsErrorCode}`
  | `CheckpointError ${CheckpointErrorCode}`
  | `DurableError ${DurableErrorCode}`
  | `GitError ${GitErrorCode}`
  | `LoopError ${LoopErrorCode}`
  | `NebulaError ${NebulaErrorCode}`
  | `PortError ${PortErrorCode}`;

/** Says library's steps in a program's words. */
export interface Program {
  /** Those that the program has no command for are left out. */
  stepsInWords(steps: readonly NextStep[]): readonly string[];
  /** The command that has agents work: `quasar run`. */
  readonly start: string;
}

type Translation = readonly [code: CliErrorCode, ...next: (string | NextStep)[]];

const LOOK = "look at it, and move it away if it is not yours";
export const DISK = "df -h .   # a full or read-only disk?";
/** The help of the command that has agents work. */
const HELP = "--help";
/** What says of a fleet why, and what helps. */
const FLEET = "quasar fleet doctor";
const DEBUG = "the same command with QUASAR_DEBUG=1 shows where it happened";

/** What each error of a library is to the command's user, by the library's class and code. */
const TRANSLATIONS: Readonly<Record<LibraryError, Translation>> = {
  "AgentsError ERR_INVALID_CONFIG": ["ERR_CONFIG", HELP],
  "AgentsError ERR_INVALID_RUN_ID": ["ERR_USAGE", { do: "list" }],
  "AgentsError ERR_INVALID_SCRIPT": ["ERR_CONFIG"],
  "AgentsError ERR_NOT_ENDED": ["ERR_AGENT_ALIVE", { do: "check" }, { do: "resume" }],
  "AgentsError ERR_NO_SUPERVISOR": ["ERR_STATE", "install quasar again"],
  "AgentsError ERR_TURN_BEGUN": ["ERR_STATE", { do: "resume" }, { do: "check" }],
  "AgentsError ERR_TURN_UNREADABLE": ["ERR_STATE", DISK, { do: "resume" }],
  "CheckpointError ERR_DAMAGED": ["ERR_CORRUPT", LOOK],
  "CheckpointError ERR_GIT_SHA_MISMATCH": [
    "ERR_HEAD_MOVED",
    "git log   # shows what has changed",
    { do: "resume", options: { accepts: ["head"] } },
  ],
  "CheckpointError ERR_INCOMPATIBLE_VERSION": ["ERR_STATE", "use the version that wrote it"],
  "CheckpointError ERR_INVALID_CHECKPOINT": ["ERR_CORRUPT", LOOK],
  "CheckpointError ERR_NOT_DURABLE": ["ERR_STATE", DISK],
  "CheckpointError ERR_TOO_LARGE": ["ERR_CORRUPT", LOOK],
  "CheckpointError ERR_UNREADABLE": ["ERR_UNSAFE_PATH", LOOK],
  "DurableError ERR_DAMAGED": ["ERR_STATE", LOOK],
  "DurableError ERR_LOCKED": ["ERR_LOCKED", { do: "show" }],
  "DurableError ERR_MISSING": ["ERR_STATE", { do: "show" }],
  "DurableError ERR_NOT_DURABLE": ["ERR_STATE", DISK],
  "DurableError ERR_NOT_REGULAR": ["ERR_UNSAFE_PATH", LOOK],
  "DurableError ERR_TOO_LARGE": ["ERR_STATE", LOOK],
  "DurableError ERR_UNSAFE_DIRECTORY": ["ERR_UNSAFE_PATH", LOOK],
  "DurableError ERR_UNSAFE_MODE": ["ERR_STATE", "chmod 600 on it, if nobody else can have read it"],
  "GitError ERR_BARE_REPOSITORY": ["ERR_BARE_REPOSITORY"],
  "GitError ERR_BAD_REVISION": ["ERR_STATE", "git fsck"],
  "GitError ERR_BROKEN_HEAD": ["ERR_NO_COMMITS", "git fsck", "git reflog"],
  "GitError ERR_COMMIT_FAILED": ["ERR_STATE", "git status", { do: "resume" }],
  "GitError ERR_DAMAGED_PACK": ["ERR_STATE", { do: "snapshots" }, LOOK],
  "GitError ERR_FOREIGN_OWNER": ["ERR_STATE"],
  "GitError ERR_FOREIGN_WORK_TREE": ["ERR_NOT_A_REPOSITORY", "git config --unset core.worktree"],
  "GitError ERR_GIT_FAILED": ["ERR_STATE", "git status", DISK],
  "GitError ERR_GIT_MISSING": ["ERR_NOT_INSTALLED", "install git"],
  "GitError ERR_GIT_TOO_OLD": ["ERR_NOT_INSTALLED", "install git 2.38 or later"],
  "GitError ERR_INVALID_ARGUMENT": ["ERR_STATE", DEBUG],
  "GitError ERR_MISSING_OBJECT": [
    "ERR_STATE",
    "git fetch --refetch --no-filter   # where the clone is a partial one",
    "git fsck",
  ],
  "GitError ERR_NAME_TAKEN": ["ERR_STATE", "git branch --all"],
  "GitError ERR_NOT_A_REPOSITORY": [
    "ERR_NOT_A_REPOSITORY",
    "git init && git add -A && git commit --allow-empty -m start   # or cd to your repository",
  ],
  "GitError ERR_NOT_FAST_FORWARD": ["ERR_STATE", "git fetch   # then look at what the remote has"],
  "GitError ERR_NO_COMMITS": ["ERR_NO_COMMITS", "git add -A && git commit --allow-empty -m start"],
  "GitError ERR_NOT_RESTORABLE": ["ERR_STATE", "git status", { do: "snapshots" }],
  "GitError ERR_PUSH_REFUSED": ["ERR_STATE", "git push   # shows who refuses it and why"],
  "GitError ERR_REMOTE_AUTH": ["ERR_PERSON", "git push   # give it the credentials it asks for"],
  "GitError ERR_REMOTE_UNREACHABLE": [
    "ERR_STATE",
    "git remote -v   # is the address right, is the network up?",
  ],
  "GitError ERR_SNAPSHOT_FAILED": ["ERR_STATE", "git status", DISK],
  "GitError ERR_UNREADABLE_REPOSITORY": ["ERR_STATE", "unset GIT_DIR"],
  "GitError ERR_SIGNING_FAILED": [
    "ERR_SIGNING",
    "git commit --allow-empty -S -m test   # shows why; then repair the key",
    "git config commit.gpgsign false   # commits of this repository are not signed",
  ],
  "GitError ERR_UNMERGED": ["ERR_DIRTY", "git status   # then resolve the conflicts"],
  "LoopError ERR_INVALID_OPTIONS": ["ERR_CONFIG", HELP],
  "LoopError ERR_INVALID_TASK": ["ERR_TASK", HELP],
  "NebulaError ERR_BRANCH": ["ERR_BRANCH"],
  "NebulaError ERR_DAMAGED": ["ERR_CORRUPT", LOOK],
  "NebulaError ERR_FOREIGN_RUN": ["ERR_FOREIGN_CHECKPOINT"],
  "NebulaError ERR_FULL_DISK": ["ERR_STATE", DISK],
  "NebulaError ERR_INCOMPATIBLE_VERSION": ["ERR_STATE", "use the version that wrote it"],
  "NebulaError ERR_INVALID_NEBULA": ["ERR_NEBULA"],
  "NebulaError ERR_INVALID_STATE": ["ERR_STATE", LOOK],
  "NebulaError ERR_LOCKED": ["ERR_LOCKED"],
  "NebulaError ERR_NO_NEBULA": ["ERR_NOT_FOUND"],
  "NebulaError ERR_NOT_FOUND": ["ERR_NOT_FOUND"],
  "NebulaError ERR_REWOUND": ["ERR_HEAD_MOVED"],
  "NebulaError ERR_SETUP": ["ERR_CHECK"],
  "NebulaError ERR_UNFINISHED": ["ERR_UNFINISHED_RUN"],
  "NebulaError ERR_USAGE": ["ERR_USAGE"],
  "PortError ERR_CONFLICT": ["ERR_CHANGED", "the same command again"],
  "PortError ERR_DENIED": ["ERR_DENIED", FLEET],
  "PortError ERR_NOT_FOUND": ["ERR_NOT_FOUND"],
  "PortError ERR_PROTOCOL": ["ERR_STATE", FLEET],
  "PortError ERR_TOO_LARGE": ["ERR_STATE"],
  "PortError ERR_UNREACHABLE": ["ERR_UNREACHABLE", FLEET],
  "PortError ERR_USAGE": ["ERR_USAGE"],
};

/** The ways out that name the path which the error is about. */
const BY_PATH: Readonly<Partial<Record<string, (path: string) => readonly string[]>>> = {
  "GitError ERR_BARE_REPOSITORY": (path) => {
    const [bare, beside] = [path, workTreeBeside(path)].map(shellWord);
    if (hadWorkTree(path)) return [`git --git-dir ${bare} config core.bare false`];
    return [
      `git --git-dir ${bare} worktree add ${beside} && cd ${beside}`,
      `git clone ${bare} ${beside}   # while it has no commit`,
    ];
  },
  "GitError ERR_FOREIGN_OWNER": (path) => [
    `git config --global --add safe.directory ${shellWord(path)}   # if you trust its owner`,
  ],
  "GitError ERR_UNREADABLE_REPOSITORY": (path) => [
    `ls -la ${shellWord(path)}`,
    "the same command again, if nothing is wrong with it",
  ],
};

/** Whether a git folder is called bare that has a work tree around it: a bare one has no index. */
function hadWorkTree(path: string): boolean {
  return basename(path) === ".git" && existsSync(join(path, "index"));
}

/** Where a bare repository's work tree may go: `/srv/app.git` has its own in `/srv/app-work`. */
function workTreeBeside(path: string): string {
  // Git makes a branch of the same name.
  const name = basename(path, ".git")
    .replaceAll(/[^\w-]+/gu, "-")
    .replace(/^-+/u, "");
  return join(dirname(path), name === "" ? "work" : `${name}-work`);
}

/** Says a library's error in the command's words, with what to do about it. */
export function translate(error: unknown, program: Program): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof RunsError) {
    const { code, message } = error;
    return new CliError(code, message, { cause: error, next: program.stepsInWords(error.next) });
  }
  const name = error instanceof Error ? `${error.name} ${codeOf(error)}` : "";
  const [code, ...known] = Object.hasOwn(TRANSLATIONS, name)
    ? TRANSLATIONS[name as LibraryError]
    : (["ERR_UNEXPECTED", DEBUG] as const);
  if (code === "ERR_UNEXPECTED" && isOfSystem(error)) return systemFailure(error);
  if (isOfNebula(error) && error.next.length > 0) {
    const next = program.stepsInWords(error.next);
    return new CliError(code, error.message, { cause: error, next });
  }
  const next = waysOut(
    error,
    name,
    known.flatMap((way) => wordsOf(way, program)),
  );
  return new CliError(code, messageOf(error), { cause: error, next });
}

/** By its name: the class is in a package that few commands load. */
function isOfNebula(error: unknown): error is NebulaError {
  return error instanceof Error && error.name === "NebulaError";
}

function wordsOf(way: string | NextStep, { stepsInWords, start }: Program): readonly string[] {
  if (typeof way !== "string") return stepsInWords([way]);
  return [way === HELP ? `${start} --help` : way];
}

function waysOut(error: unknown, name: string, known: readonly string[]): readonly string[] {
  if (!(error instanceof GitError)) return nameDisk(known, error);
  const byPath = error.path === undefined ? undefined : BY_PATH[name]?.(error.path);
  const errno = errnoOf(error.cause) ?? errnoIn(error.message);
  const refused = errno === undefined ? undefined : refusalNext(errno, ".");
  const disk = CANNOT_WRITE.test(error.message) ? nameDisk([DISK], error) : undefined;
  return byPath ?? refused ?? disk ?? known;
}

/** How git says that a disk does not take something, where it does not say why. */
const CANNOT_WRITE = /unable to write|could(?:n't| not) write|write error/iu;

/** Ways out in which that to a disk says of which one, and what about it, as far as an error tells. */
export function nameDisk(ways: readonly string[], error: unknown): readonly string[] {
  if (!ways.includes(DISK)) return ways;
  let cause = error;
  while (cause instanceof Error && !isOfSystem(cause)) cause = cause.cause;
  const path = isOfSystem(cause) ? cause.path : undefined;
  const refused = refusalOf(errnoOf(cause) ?? errnoIn(messageOf(error)), path);
  return ways.flatMap((way) => (way === DISK ? refused : way));
}

/** Says which call the system refused, on what, and what a person can do about it. */
function systemFailure(error: NodeJS.ErrnoException): CliError {
  const { syscall = "", path } = error;
  const errno = codeOf(error);
  const words = refusalWords(errno);
  const where = path === undefined ? syscall : `${syscall} ${cleanLine(path)}`;
  const why = words === undefined ? messageOf(error) : `${words} (${errno})`;
  const next = refusalOf(errno, path);
  return new CliError("ERR_STATE", `${where} failed: ${why}`, { cause: error, next });
}

/** @param path - What the call was about; relative or none: something in the work tree. */
function refusalOf(errno: string | undefined, path: string | undefined): readonly string[] {
  const folder = path !== undefined && isAbsolute(path) ? dirname(path) : undefined;
  const known = errno === undefined ? undefined : refusalNext(errno, folder ?? ".");
  if (known !== undefined) return known;
  if (folder === undefined) return ["ls -ld . .git .git/quasar   # whose are they?", DISK];
  const word = shellWord(folder);
  return [`ls -ld ${word}   # whose is it?`, `df -h ${word}   # a full or read-only disk?`];
}
