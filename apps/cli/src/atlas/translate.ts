import type { DurableErrorCode } from "@quasar/durable";
import type { HookFileErrorCode } from "@quasar/hookfile";
import type { ReceiptErrorCode } from "@quasar/receipts";
import { codeOf } from "@quasar/runs/internal";
import { TasksError, type TasksErrorCode } from "@quasar/tasks";
import { CliError, type CliErrorCode } from "../shared/errors.ts";
import { commandOf } from "./choices.ts";
import { stepsInWords } from "./next-steps.ts";
import { DISK, nameDisk, translate as translateShared } from "../shared/translate.ts";

type LibraryError =
  | `HookFileError ${HookFileErrorCode}`
  | `ReceiptError ${ReceiptErrorCode}`
  | `TasksError ${TasksErrorCode}`;

/** Errors that both commands know, whose way out has another name here. */
type SharedError = `DurableError ${DurableErrorCode}` | "AgentsError ERR_NO_SUPERVISOR";

type Translation = readonly [code: CliErrorCode, ...next: string[]];

const LIST = "atlas list";
const STATUS = "atlas status";
const DEBUG = "the same command with QUASAR_DEBUG=1 shows where it happened";
const KEYS = "atlas keys status";
const PRIVATE = "chmod 600 on it, if nobody else can have read it";

const TRANSLATIONS: Readonly<
  Record<LibraryError, Translation> & Partial<Record<SharedError, Translation>>
> = {
  "HookFileError ERR_DAMAGED": ["ERR_CORRUPT", "atlas hook status", "atlas recover"],
  "HookFileError ERR_EXISTS": ["ERR_EXISTS", LIST],
  "HookFileError ERR_INCOMPATIBLE_VERSION": ["ERR_STATE", "use the atlas that wrote it"],
  "HookFileError ERR_INVALID_DURATION": ["ERR_USAGE"],
  "HookFileError ERR_INVALID_HOOK_FILE": ["ERR_STATE", DEBUG],
  "HookFileError ERR_INVALID_TRANSITION": ["ERR_NOT_AWAITED", STATUS],
  "HookFileError ERR_NO_TASK": ["ERR_NOT_FOUND", LIST],
  "HookFileError ERR_STALE": ["ERR_CHANGED", STATUS],
  "HookFileError ERR_UNSAFE_ID": ["ERR_USAGE", LIST],
  "ReceiptError ERR_DAMAGED": ["ERR_CORRUPT", KEYS],
  "ReceiptError ERR_DAMAGED_KEY": ["ERR_KEY", "move that file away, then: atlas keys init"],
  "ReceiptError ERR_DUPLICATE_ID": ["ERR_STATE", STATUS],
  "ReceiptError ERR_INVALID_KEY_PATH": ["ERR_STATE", DEBUG],
  "ReceiptError ERR_INVALID_RECEIPT": ["ERR_STATE", DEBUG],
  "ReceiptError ERR_LOCKED": ["ERR_LOCKED", "the same command again"],
  "ReceiptError ERR_MALFORMED_SIGNATURE": ["ERR_STATE", DEBUG],
  "ReceiptError ERR_MISSING_KEY": ["ERR_KEY", KEYS, "atlas keys init"],
  "ReceiptError ERR_MISSING_OUTPUT": ["ERR_STATE", "atlas validate"],
  "ReceiptError ERR_NOT_SIGNED": ["ERR_STATE", DISK, "atlas resume"],
  "ReceiptError ERR_UNSAFE_ID": ["ERR_USAGE", STATUS],
  "ReceiptError ERR_UNSAFE_KEY": ["ERR_KEY", PRIVATE],
  "TasksError ERR_ACTIVE": ["ERR_EXISTS", STATUS, LIST],
  "TasksError ERR_AMBIGUOUS": ["ERR_AMBIGUOUS", "name the task: " + LIST],
  "TasksError ERR_CHANGED": ["ERR_CHANGED", STATUS],
  "TasksError ERR_CONFIG": ["ERR_CONFIG"],
  "TasksError ERR_DAMAGED": ["ERR_CORRUPT", "atlas hook status", LIST],
  "TasksError ERR_DIRTY": ["ERR_DIRTY", "git status   # then commit or stash"],
  "TasksError ERR_EXISTS": ["ERR_EXISTS", LIST],
  "TasksError ERR_IGNORED": ["ERR_DIRTY", "git status --ignored   # in that work tree"],
  "TasksError ERR_LOCKED": ["ERR_LOCKED", STATUS],
  "TasksError ERR_NOT_ACCEPTED": ["ERR_NOT_ACCEPTED", STATUS],
  "TasksError ERR_NOT_AWAITED": ["ERR_NOT_AWAITED", STATUS, "name another task: " + LIST],
  "TasksError ERR_NOT_CREATED": ["ERR_STATE", DISK],
  "TasksError ERR_NOT_FOUND": ["ERR_NOT_FOUND", LIST, 'atlas start "…"'],
  "TasksError ERR_TEMPLATE": ["ERR_CONFIG", "atlas templates"],
  "TasksError ERR_UNSAFE_ID": ["ERR_USAGE", LIST],
  "DurableError ERR_UNSAFE_MODE": ["ERR_KEY", PRIVATE],
  "AgentsError ERR_NO_SUPERVISOR": ["ERR_STATE", "install atlas again"],
};

/** Says a library's error in the command's words, with what to do about it. */
export function translate(error: unknown): CliError {
  const name = error instanceof Error ? `${error.name} ${codeOf(error)}` : "";
  if (error instanceof CliError || !Object.hasOwn(TRANSLATIONS, name))
    return translateShared(error, { stepsInWords, start: "atlas start" });
  const [code, ...known] = TRANSLATIONS[name as LibraryError];
  const decisions = error instanceof TasksError ? error.decisions : [];
  const offered = decisions.filter(({ kind }) => kind !== "abandon").map(commandOf);
  const next = [...offered, ...nameDisk(known, error)];
  return new CliError(code, error instanceof Error ? error.message : "", { cause: error, next });
}
