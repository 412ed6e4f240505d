import type { CheckpointOptions, LoopOptions } from "./options.ts";
import { type RunKind, LOOP } from "./run-kind.ts";
import { LoopError } from "./errors.ts";

/** The options with their defaults filled in. */
export type Settings = Omit<LoopOptions, Defaulted> & {
  readonly [K in Defaulted]: NonNullable<LoopOptions[K]>;
} & { readonly runKind: RunKind };

type Defaulted =
  | "hooks"
  | "lint"
  | "maxLintRetries"
  | "retries"
  | "maxTurnBudgetUsd"
  | "filters"
  | "detectStruggle"
  | "untouchablePaths"
  | "checkTimeoutMs"
  | "acceptHead"
  | "acceptBranch"
  | "now";

export const DEFAULT_MAX_CYCLES = 3;
export const DEFAULT_MAX_BUDGET_USD = 5;
/** More than any run needs, and few enough to keep a list of. */
export const MOST_CYCLES = 10_000;

/** @throws {LoopError} `ERR_INVALID_OPTIONS` */
export function settingsOf(options: LoopOptions, runKind: RunKind = LOOP): Settings {
  for (const [name, isValid, rule] of RULES) {
    const value = options[name];
    if (value === undefined || isValid(value)) continue;
    throw new LoopError("ERR_INVALID_OPTIONS", `${name} must be ${rule}`);
  }
  return {
    ...options,
    runKind,
    hooks: options.hooks ?? [],
    lint: options.lint ?? [],
    maxLintRetries: options.maxLintRetries ?? 2,
    retries: options.retries ?? 0,
    maxTurnBudgetUsd: options.maxTurnBudgetUsd ?? 0,
    filters: options.filters ?? [],
    detectStruggle: options.detectStruggle ?? false,
    untouchablePaths: options.untouchablePaths ?? [],
    checkTimeoutMs: options.checkTimeoutMs ?? 600_000,
    acceptHead: options.acceptHead ?? false,
    acceptBranch: options.acceptBranch ?? false,
    now: options.now ?? (() => new Date()),
  };
}

/** Whether the loop itself saves around each turn. */
export function savesTurns(checkpoint: CheckpointOptions | undefined): boolean {
  return checkpoint?.granularity === "turn";
}

type Rule = readonly [name: keyof LoopOptions, isValid: (value: unknown) => boolean, rule: string];

// A run id is a part of file names, of trailers and of an environment variable.
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/u;

/** A timer of more milliseconds fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const RULES: readonly Rule[] = [
  ["maxCycles", (value) => isInteger(value, 1, MOST_CYCLES), "a whole number from 1 to 10000"],
  ["maxLintRetries", (value) => isInteger(value, 0), "a whole number from 0"],
  ["retries", (value) => isInteger(value, 0, 100), "a whole number from 0 to 100"],
  ["maxBudgetUsd", (value) => isAmount(value, 0), "a number of US dollars from 0"],
  ["maxTurnBudgetUsd", (value) => isAmount(value, 0), "a number of US dollars from 0"],
  [
    "checkTimeoutMs",
    (value) => isInteger(value, 1, LONGEST_TIMER_MS),
    `a whole number of milliseconds from 1 to ${LONGEST_TIMER_MS}`,
  ],
  [
    "runId",
    (value) => typeof value === "string" && RUN_ID.test(value),
    "1 to 128 letters, digits, dots, underscores and hyphens, the first a letter or a digit",
  ],
];

function isInteger(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && isAmount(value, least) && Number(value) <= most;
}

function isAmount(value: unknown, least: number): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= least;
}
