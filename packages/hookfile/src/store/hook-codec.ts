import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import type { ValidationReceipt } from "@quasar/receipts";
import {
  type Codec,
  type CodecOf,
  flag,
  integer,
  jsonObject,
  list,
  matching,
  object,
  oneOf,
  numbers,
  optional,
  refuse,
  text,
  time,
  whole,
  within,
} from "./codec.ts";
import { HookFileError } from "../errors.ts";
import {
  type AwaitedDecision,
  CHECKPOINT_TRIGGERS,
  type FileChange,
  type FileSnapshot,
  type HistoryHead,
  HOOK_FILE_VERSION,
  HOOK_STATES,
  type HookEvent,
  type HookFile,
  type HookOwner,
  NEWEST_KEPT,
  type RecoveryContext,
  type StepBase,
  type StepCheckpoint,
  type StepContext,
  type StepRecord,
  STEP_TYPES,
} from "./hook-file.ts";
import { omit } from "./omit.ts";

/** A hook file but for its lists: what one record of the history has to say to stand for it. */
export type Position = Omit<HookFile, "history" | "receipts" | "checkpoints" | "head">;

/** A larger file is neither written nor read. */
export const MAX_HOOK_BYTES = 32 * 1024 * 1024;

const word = text(256);
const name = text(1024);
const path = text(4096);
export const sha256 = matching(/^[0-9a-f]{64}$/, "a SHA-256 in hex");

const fileChange = object<FileChange>({
  path,
  change: oneOf(["new", "modified", "deleted"]),
  committed: flag,
});

const stepContext = object<StepContext>({
  stepName: word,
  stepIndex: integer(0),
  startedAt: time,
  prompt: text(16 * 1024),
  attempt: integer(1),
  maxAttempts: integer(1),
  workingOn: optional(text()),
  filesTouched: optional(list(path)),
  fileChanges: optional(list(fileChange)),
  lastOutput: optional(text(2000)),
  currentCheckpointId: optional(word),
});

const stepRecord = object<StepRecord>({
  name: word,
  type: oneOf(STEP_TYPES),
  recovery: oneOf(["retry", "reconcile", "manual"]),
  maxAttempts: integer(1),
  status: oneOf(["pending", "running", "completed", "skipped", "failed", "rework"]),
  attempts: integer(0),
  startedAt: optional(time),
  completedAt: optional(time),
  durationMs: optional(integer(0)),
  receiptIds: list(word),
  note: optional(text()),
  feedback: optional(text()),
  onReject: optional(word),
});

const awaited = object<AwaitedDecision>({
  kind: oneOf(["review", "validation", "git", "ci", "interrupted", "attempts"]),
  reason: text(),
});

/** Where there are no paths that differ the list is empty, which an absent one does not say. */
const stepBase = object<StepBase>({
  step: word,
  head: text(256),
  dirty: optional(list(path), (paths) => paths === undefined),
});

const recovery = object<RecoveryContext>({
  detectedAt: time,
  crashType: oneOf(["timeout", "signal", "unknown"]),
  lastKnownState: oneOf(HOOK_STATES),
  wasValidating: flag,
  validationCmd: optional(text()),
  partialOutput: optional(text()),
  recommendedAction: oneOf([
    "retry_step",
    "retry_validation",
    "skip_step",
    "manual",
    "await_human",
  ]),
  reason: text(),
  lastCheckpointId: optional(word),
});

const owner = object<HookOwner>({
  pid: integer(0),
  startTime: optional(integer(0)),
  bootId: optional(text()),
  host: text(),
  runId: word,
});

const event = object<HookEvent>({
  timestamp: time,
  fromState: oneOf(["", ...HOOK_STATES]),
  toState: oneOf(HOOK_STATES),
  trigger: word,
  stepName: optional(word),
  details: optional(jsonObject),
});

const snapshot = object<FileSnapshot>({
  path,
  size: integer(0),
  modTime: text(40),
  sha256: matching(/^([0-9a-f]{16})?$/, "the first 16 hex digits of a SHA-256"),
  exists: flag,
});

const checkpoint = object<StepCheckpoint>({
  checkpointId: word,
  createdAt: time,
  stepName: text(256),
  stepIndex: integer(-1),
  description: text(),
  trigger: oneOf(CHECKPOINT_TRIGGERS),
  gitBranch: name,
  gitCommit: optional(word),
  gitDirty: flag,
  artifacts: optional(list(path)),
  filesSnapshot: optional(list(snapshot)),
});

const receipt = object<ValidationReceipt>({
  receiptId: word,
  stepName: word,
  command: text(),
  exitCode: integer(0, 255),
  startedAt: time,
  completedAt: time,
  duration: word,
  stdoutHash: sha256,
  stderrHash: sha256,
  keyPath: word,
  keyId: word,
  sigAlg: word,
  sigVersion: integer(1),
  signature: name,
});

export const eventList: Codec<readonly HookEvent[]> = list(event);
export const receiptList: Codec<readonly ValidationReceipt[]> = list(receipt);
export const checkpointList: Codec<readonly StepCheckpoint[]> = list(checkpoint);

export const headCodec: Codec<HistoryHead> = object<HistoryHead>({
  file: integer(1),
  record: integer(1),
  sha256,
});

const positionFields: CodecOf<Omit<Position, "extra">> = {
  version: oneOf([HOOK_FILE_VERSION]),
  taskId: word,
  workspaceId: word,
  createdAt: time,
  updatedAt: time,
  revision: integer(1),
  title: text(),
  description: text(),
  template: word,
  branch: name,
  worktreePath: path,
  repoPath: path,
  keyIndex: integer(0),
  state: oneOf(HOOK_STATES),
  currentStep: optional(stepContext),
  steps: list(stepRecord),
  awaiting: optional(awaited),
  recovery: optional(recovery),
  owner: optional(owner),
  stepBase: optional(stepBase),
  stepRuns: optional(numbers(1)),
  endedRuns: optional(numbers(1)),
  counts: object<HookFile["counts"]>({
    events: integer(1),
    receipts: integer(0),
    checkpoints: integer(0),
  }),
};

const hookFields: CodecOf<Omit<HookFile, "extra">> = {
  ...positionFields,
  history: list(event, NEWEST_KEPT),
  receipts: list(receipt, NEWEST_KEPT),
  checkpoints: list(checkpoint, NEWEST_KEPT),
  head: optional(headCodec),
};

/** The keys that the table does not know are those of `extra`. */
function withExtra<T extends Pick<HookFile, "extra">>(fields: CodecOf<Omit<T, "extra">>): Codec<T> {
  const codec = object<Omit<T, "extra">>(fields);
  return {
    decode(value) {
      const all = Object.entries(codec.decode(value));
      const known = Object.fromEntries(all.filter(([key]) => Object.hasOwn(fields, key)));
      const extra = Object.fromEntries(all.filter(([key]) => !Object.hasOwn(fields, key)));
      return { ...known, extra } as T;
    },
    encode: (value) => codec.encode({ ...value.extra, ...omit(value, "extra") }),
  };
}

const positionCodec = withExtra<Position>(positionFields);
const hookCodec = withExtra<HookFile>(hookFields);

export function positionOf(hook: HookFile): Position {
  return omit(hook, "history", "receipts", "checkpoints", "head");
}

/** Of any position, alone or in a hook file: what is written is consistent, and so is what is read. */
export const position: Codec<Position> = {
  decode(value) {
    refuseOtherVersion(value);
    return consistent(positionCodec.decode(value));
  },
  encode: (value) => positionCodec.encode(consistent(value)),
};

const SEAL = /,\n {2}"sha256": "([0-9a-f]{64})"\n\}\n$/;
const SEAL_BYTES = 84;

/**
 * hook.json: one line for each key, each entry of a list and each small value, so that a person can
 * read it; the last key is the SHA-256 of what is before it.
 *
 * @throws {HookFileError} `ERR_INVALID_HOOK_FILE`, naming the field.
 * @see SPEC.md, "hook.json"
 */
export function encodeHookFile(hook: HookFile): Uint8Array {
  return prepareHookFile(hook).encode(hook.head);
}

/** A hook file that can be written, but for where the history ends, which is not known yet. */
export interface PreparedHookFile {
  /** As it is read again: without what says nothing, with well-formed texts. */
  readonly hook: HookFile;
  readonly encode: (head: HistoryHead | undefined) => Uint8Array;
}

/** @throws {HookFileError} `ERR_INVALID_HOOK_FILE`, naming the field. */
export function prepareHookFile(given: HookFile): PreparedHookFile {
  const hook = whole(() => counted(consistent(omit(given, "head"))));
  const root = whole(() => hookCodec.encode(hook)) as object;
  const lines = Object.entries(root)
    .map(([key, value]) => lineOf(key, value))
    .join(",\n");
  if (lines.length * 3 > MAX_HOOK_BYTES && Buffer.byteLength(lines) > MAX_HOOK_BYTES - 1024) {
    whole(() => refuse(`of at most ${MAX_HOOK_BYTES} bytes`));
  }
  return {
    hook: hookCodec.decode(root),
    encode(head) {
      const end =
        head &&
        lineOf(
          "head",
          whole(() => headCodec.encode(head)),
        );
      const body = `{\n${lines}${end === undefined ? "" : `,\n${end}`}`;
      return Buffer.from(`${body},\n  "sha256": "${hash("sha256", body)}"\n}\n`);
    },
  };
}

function lineOf(key: string, value: unknown): string {
  return `  ${JSON.stringify(key)}: ${layout(value)}`;
}

function layout(value: unknown): string {
  if (Array.isArray(value) && value.length > 0) {
    return `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`;
  }
  return JSON.stringify(value, undefined, 2).replaceAll("\n", "\n  ");
}

/**
 * @param bytes - A whole hook.json.
 * @throws {HookFileError} `ERR_INVALID_HOOK_FILE`, naming the field, for anything but what
 *   `encodeHookFile` gave, to the last bit; `ERR_INCOMPATIBLE_VERSION`.
 */
export function decodeHookFile(bytes: Uint8Array): HookFile {
  return whole(() => {
    if (bytes.length > MAX_HOOK_BYTES) refuse(`of at most ${MAX_HOOK_BYTES} bytes`);
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const seal = SEAL.exec(file.subarray(-SEAL_BYTES).toString("latin1"));
    if (seal === null) return within(".sha256", () => refuse("the last key"));
    const body = file.subarray(0, file.length - seal[0].length);
    if (seal[1] !== hash("sha256", body)) {
      return within(".sha256", () => refuse("that of what is before it"));
    }
    const value = parseJson(body);
    refuseOtherVersion(value);
    return counted(consistent(hookCodec.decode(value)));
  });
}

/** Whether something is whole, but not for us: no older state may take its place. */
export function isOtherVersion(error: unknown): boolean {
  return error instanceof HookFileError && error.code === "ERR_INCOMPATIBLE_VERSION";
}

/** What another version says must not be taken for damage. */
function refuseOtherVersion(value: unknown): void {
  if (typeof value !== "object" || value === null || !("version" in value)) return;
  const { version } = value;
  if (typeof version !== "string" || version === HOOK_FILE_VERSION) return;
  const message = "version is not one that is supported here";
  throw new HookFileError("ERR_INCOMPATIBLE_VERSION", message);
}

function parseJson(body: Buffer): unknown {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return JSON.parse(`${decoder.decode(body)}}`);
  } catch {
    return refuse("JSON in UTF-8");
  }
}

/** A state without what it is about is none of the nine. */
function consistent<T extends Position>(hook: T): T {
  const { state, currentStep, steps, awaiting, recovery } = hook;
  const isAtStep = state === "step_running" || state === "step_validating";
  const named = currentStep && steps[currentStep.stepIndex]?.name;
  if (isAtStep && currentStep === undefined) {
    within(".current_step", () => refuse(`there in state ${state}`));
  }
  if (named !== currentStep?.stepName) {
    within(".current_step.step_index", () => refuse("that of a step of this name"));
  }
  if ((state === "awaiting_human") !== (awaiting !== undefined)) {
    within(".awaiting", () => refuse("there in state awaiting_human and only then"));
  }
  if (state === "recovering" && recovery === undefined) {
    within(".recovery", () => refuse("there in state recovering"));
  }
  return hook;
}

function counted(hook: HookFile): HookFile {
  const lists = { events: hook.history, receipts: hook.receipts, checkpoints: hook.checkpoints };
  for (const [key, count] of Object.entries(hook.counts)) {
    const list = lists[key as keyof typeof lists] ?? [];
    if (list.length > count) within(`.counts.${key}`, () => refuse("of all that are in the list"));
  }
  return hook;
}
