import { TasksError } from "./errors.ts";

/** The keys of more than one word, as they are in memory; on disk they are in snake_case. */
const NAMES = [
  "artifactPath",
  "baseBranch",
  "baseSha",
  "branchPrefix",
  "commonDir",
  "completedAt",
  "costUsd",
  "createdAt",
  "currentStep",
  "durationMs",
  "filesChanged",
  "fromStatus",
  "fromTask",
  "gitHooks",
  "isHere",
  "maxAttempts",
  "maxBudgetUsd",
  "maxCycles",
  "maxFixes",
  "numTurns",
  "onCommit",
  "onPr",
  "onPush",
  "onReject",
  "onStepComplete",
  "onValidation",
  "repoPath",
  "reviewerModel",
  "sessionId",
  "startedAt",
  "stepIndex",
  "stepName",
  "stepResults",
  "templateId",
  "timeoutMs",
  "toStatus",
  "updatedAt",
  "workspaceId",
  "worktreeDir",
  "worktreePath",
] as const;

/** `baseSha` as it is on disk: `base_sha`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const TO_DISK: ReadonlyMap<string, string> = new Map(NAMES.map((name) => [name, snakeCase(name)]));
const FROM_DISK: ReadonlyMap<string, string> = new Map(
  NAMES.map((name) => [snakeCase(name), name]),
);

/** What a key is called on disk. */
export function diskName(key: string): string {
  return TO_DISK.get(key) ?? key;
}

/** Values that are kept as they are, whatever their keys: `settings`, and the `metadata` of a result. */
export type Opaque = (path: readonly string[]) => boolean;

/** The value with the known keys as they are on disk. */
export function toDisk(value: unknown, isOpaque: Opaque): unknown {
  return renamed(value, { names: TO_DISK, isOpaque, path: [] });
}

/** The value with the known keys as they are in memory. @throws {TasksError} `ERR_DAMAGED` */
export function fromDisk(value: unknown, isOpaque: Opaque): unknown {
  return renamed(value, { names: FROM_DISK, isOpaque, path: [] });
}

interface Renaming {
  readonly names: ReadonlyMap<string, string>;
  readonly isOpaque: Opaque;
  /** In memory's names, without the indices of lists. */
  readonly path: readonly string[];
}

const MAX_DEPTH = 32;

function renamed(value: unknown, { names, isOpaque, path }: Renaming): unknown {
  if (path.length > MAX_DEPTH) throw new TasksError("ERR_DAMAGED", "a value is nested too deep");
  if (Array.isArray(value)) {
    return value.map((item) => renamed(item, { names, isOpaque, path: [...path, "[]"] }));
  }
  if (typeof value !== "object" || value === null || isOpaque(path)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const name = names.get(key) ?? key;
      const inMemory = FROM_DISK.get(key) ?? key;
      return [name, renamed(item, { names, isOpaque, path: [...path, inMemory] })];
    }),
  );
}
