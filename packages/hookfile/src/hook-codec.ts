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
  optional,
  refuse,
  text,
  time,
} from "./codec.ts";
import { HookFileError } from "./errors.ts";
import {
  type AwaitedDecision,
  CHECKPOINT_TRIGGERS,
  type FileSnapshot,
  type HistoryHead,
  HOOK_FILE_VERSION,
  HOOK_STATES,
  type HookEvent,
  type HookFile,
  type HookOwner,
  NEWEST_KEPT,
  type RecoveryContext,
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
const sha256 = matching(/^[0-9a-f]{64}$/, "a SHA-256 in hex");

const stepContext = object<StepContext>({
  stepName: word,
  stepIndex: integer(0),
  startedAt: time,
  prompt: text(16 * 1024),
  attempt: integer(1),
  maxAttempts: integer(1),
  workingOn: optional(text()),
  filesTouched: optional(list(path)),
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
    decode(value, where) {
      const all = Object.entries(codec.decode(value, where));
      const known = Object.fromEntries(all.filter(([key]) => Object.hasOwn(fields, key)));
      const extra = Object.fromEntries(all.filter(([key]) => !Object.hasOwn(fields, key)));
      return { ...known, extra } as T;
    },
    encode: (value, where) =>
      codec.encode({ ...value.extra, ...omit(value, "extra") } as Omit<T, "extra">, where),
  };
}

const positionCodec = withExtra<Position>(positionFields);
const hookCodec = withExtra<HookFile>(hookFields);

export function positionOf(hook: HookFile): Position {
  return omit(hook, "history", "receipts", "checkpoints", "head");
}

/** @throws {HookFileError} `ERR_INVALID_HOOK_FILE`, naming the field. */
export function encodePosition(position: Position): unknown {
  refuseContradictions(position);
  return positionCodec.encode(position, "");
}

/** @throws {HookFileError} `ERR_INVALID_HOOK_FILE`, naming the field. */
export function decodePosition(value: unknown): Position {
  const position = positionCodec.decode(value, "");
  refuseContradictions(position);
  return position;
}

const SEAL = /,\n {2}"sha256": "([0-9a-f]{64})"\n\}\n$/;
const SEAL_BYTES = 64 + 20;

/**
 * hook.json: one line for each key, each entry of a list and each small value, so that a person can
 * read it; the last key is the SHA-256 of what is before it.
 *
 * @throws {HookFileError} `ERR_INVALID_HOOK_FILE`, naming the field.
 * @see SPEC.md, "hook.json"
 */
export function encodeHookFile(hook: HookFile): Uint8Array {
  refuseContradictions(hook);
  refuseMiscounts(hook);
  const root = hookCodec.encode(hook, "") as Readonly<Record<string, unknown>>;
  const lines = Object.entries(root).map(([key, value]) => `  "${jsonKey(key)}": ${layout(value)}`);
  const body = `{\n${lines.join(",\n")}`;
  const bytes = Buffer.from(`${body},\n  "sha256": "${hash("sha256", body)}"\n}\n`);
  if (bytes.length > MAX_HOOK_BYTES) refuse("", `at most ${MAX_HOOK_BYTES} bytes`);
  return bytes;
}

function jsonKey(key: string): string {
  return JSON.stringify(key).slice(1, -1);
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
 *   `encodeHookFile` gave, to the last bit.
 */
export function decodeHookFile(bytes: Uint8Array): HookFile {
  if (bytes.length > MAX_HOOK_BYTES) refuse("", `of at most ${MAX_HOOK_BYTES} bytes`);
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tail = whole.subarray(-SEAL_BYTES - 1).toString("latin1");
  const [seal, sha256] = SEAL.exec(tail) ?? refuse("sha256", "the last key");
  const body = whole.subarray(0, whole.length - seal.length);
  if (sha256 !== hash("sha256", body)) refuse("sha256", "that of what is before it");
  const hook = hookCodec.decode(parseJson(whole, seal.length), "");
  refuseContradictions(hook);
  refuseMiscounts(hook);
  return hook;
}

function parseJson(whole: Buffer, sealBytes: number): unknown {
  try {
    const body = whole.subarray(0, whole.length - sealBytes);
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return JSON.parse(`${decoder.decode(body)}}`);
  } catch (error) {
    const message = "the file is not JSON in UTF-8";
    throw new HookFileError("ERR_INVALID_HOOK_FILE", message, { cause: error });
  }
}

/** A state without what it is about is none of the nine. */
function refuseContradictions(position: Position): void {
  const { state, currentStep, steps, awaiting, recovery } = position;
  const isAtStep = state === "step_running" || state === "step_validating";
  if (isAtStep && currentStep === undefined) refuse("current_step", `there in state ${state}`);
  if (currentStep !== undefined && steps[currentStep.stepIndex]?.name !== currentStep.stepName) {
    refuse("current_step.step_index", "that of a step of this name");
  }
  if ((state === "awaiting_human") !== (awaiting !== undefined)) {
    refuse("awaiting", `there in state awaiting_human and only then`);
  }
  if (state === "recovering" && recovery === undefined) {
    refuse("recovery", "there in state recovering");
  }
}

function refuseMiscounts({ counts, history, receipts, checkpoints }: HookFile): void {
  const lists = { events: history, receipts, checkpoints } as const;
  for (const [key, list] of Object.entries(lists)) {
    const count = counts[key as keyof typeof lists];
    if (list.length > count) refuse(`counts.${key}`, "of all that are in the list");
  }
}
