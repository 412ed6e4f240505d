import type { ExitCode } from "../exit-codes.ts";

/** Version of the JSON lines. New keys and types may come within it; none go or change. */
export const JSON_VERSION = 1;

/** Keys of what the libraries give, and what `--json` calls them: there each thing has one name in all lines. */
const NAMES = {
  baseCommitSha: "baseSha",
  bytes: "sizeBytes",
  dirty: "uncommitted",
  duration: "durationText",
  finalCommitSha: "finalSha",
  gitBranch: "branch",
  gitCommit: "headSha",
  gitDirty: "isDirty",
  interval: "intervalMs",
  isWorktreeRemoved: "isWorkTreeRemoved",
  modTime: "modifiedAt",
  most: "maxRetries",
  processStart: "startTicks",
  root: "workTree",
  since: "startedAt",
  size: "sizeBytes",
  startTime: "startTicks",
  stderrHash: "stderrSha256",
  stdoutHash: "stdoutSha256",
  stepIndex: "index",
  stepName: "step",
  timestamp: "time",
  totalCostUsd: "spentUsd",
  unknownCostUsd: "unknownUsd",
  until: "retryAt",
  validationCmd: "validationCommand",
  why: "reason",
  words: "message",
  worktree: "workTree",
  worktreeDir: "workTree",
  worktreePath: "workTree",
} as const;
type Names = typeof NAMES;

/** Keys whose values are others': they stay as they are. */
const OPAQUE: ReadonlySet<string> = new Set([
  "data",
  "details",
  "extra",
  "schema",
  "otherSettings",
]);

/** What is printed of a value: the same with the names of `--json`. */
export type Named<T> = T extends readonly (infer Item)[]
  ? readonly Named<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as Key extends keyof Names ? Names[Key] : Key]: Named<T[Key]> }
    : T;

/** The value with the names of `--json`. */
export function named<T>(value: T): Named<T> {
  return rename(value) as Named<T>;
}

function rename(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rename);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      nameOf(key),
      OPAQUE.has(key) ? each : rename(each),
    ]),
  );
}

function nameOf(key: string): string {
  return Object.hasOwn(NAMES, key) ? NAMES[key as keyof Names] : key;
}

/** The line of `--json` that says what came of a command, and what is next. */
export function result<const Type extends string, Facts extends object>(
  type: Type,
  facts: Facts & { readonly exit?: never; readonly next?: never },
  exit: ExitCode,
  next: readonly string[] = [],
) {
  const begun = { v: JSON_VERSION, type } as const;
  return Object.assign(begun, named<Facts>(facts), { exit, next });
}
