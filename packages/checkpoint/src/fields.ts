import type {
  Checkpoint,
  CheckpointFinding,
  CheckpointLedgerEntry,
  CheckpointOutcome,
  CheckpointProtectedPath,
  CheckpointQuestion,
  CheckpointTurn,
} from "./checkpoint.ts";

/**
 * `integer`: whole, 0 or more, written bare. `amount`: finite, 0 or more, written with a dot.
 * `time`: RFC 3339, kept as text. `phase`: a name in memory, its index in `PHASES` on disk.
 * `choice`: one of the texts in `among`.
 */
export type FieldType =
  | "text"
  | "texts"
  | "integer"
  | "amount"
  | "flag"
  | "time"
  | "phase"
  | "choice";

/** How one value is called and kept: `key` on disk, `name` in memory. */
export interface Field<Name extends string = string> {
  readonly key: string;
  /** What an earlier version called the key. It is read where `key` is not there, and never written. */
  readonly formerKey?: string;
  readonly name: Name;
  readonly type: FieldType;
  /** What it is when the file does not say; without one, the file has to say it. */
  readonly absent?: unknown;
  readonly among?: readonly string[];
}

/**
 * The small values, first in the file, so that a listing needs to read no further. The order of
 * the tables is the order on disk.
 */
export const HEAD_FIELDS: readonly Field<keyof Checkpoint>[] = [
  { key: "version", name: "version", type: "integer" },
  { key: "phase_id", name: "phaseId", type: "text" },
  { key: "nebula_name", name: "nebulaName", type: "text" },
  { key: "created_at", name: "createdAt", type: "time" },
  { key: "git_sha", name: "gitSha", type: "text" },
  { key: "task_bead_id", name: "taskBeadId", type: "text" },
  { key: "cycle", name: "cycle", type: "integer" },
  { key: "max_cycles", name: "maxCycles", type: "integer" },
  { key: "phase", name: "phase", type: "phase" },
  { key: "total_cost_usd", name: "totalCostUsd", type: "amount" },
  { key: "max_budget_usd", name: "maxBudgetUsd", type: "amount" },
  { key: "base_commit_sha", name: "baseCommitSha", type: "text" },
  { key: "refactored", name: "refactored", type: "flag" },
  { key: "revision", name: "revision", type: "integer", absent: 0 },
  { key: "run_id", name: "runId", type: "text", absent: "" },
  { key: "unknown_cost_usd", name: "unknownCostUsd", type: "amount", absent: 0 },
  {
    key: "unreported_costs",
    formerKey: "unsaid_costs",
    name: "hasUnreportedCosts",
    type: "flag",
    absent: false,
  },
  { key: "filter_check_name", name: "filterCheckName", type: "text", absent: "" },
  { key: "retry_at", name: "retryAt", type: "text", absent: "" },
  {
    key: "commit_style",
    name: "commitStyle",
    type: "choice",
    among: ["seed", "plain", "conventional"],
    absent: "seed",
  },
  { key: "branch", name: "branch", type: "text", absent: "" },
  { key: "checked_tree", name: "checkedTree", type: "text", absent: "" },
  { key: "checked_with", name: "checkedWith", type: "text", absent: "" },
  { key: "reviewed_tree", name: "reviewedTree", type: "text", absent: "" },
  {
    key: "commit_refused",
    name: "commitRefused",
    type: "choice",
    among: ["", "work", "message"],
    absent: "",
  },
  { key: "commit_fixes", name: "commitFixes", type: "integer", absent: 0 },
  { key: "lint_fixes", name: "lintFixes", type: "integer", absent: 0 },
  { key: "turn_instructions", name: "turnInstructions", type: "text", absent: "" },
  { key: "commit_subject", name: "commitSubject", type: "text", absent: "" },
  { key: "needed_budget_usd", name: "neededBudgetUsd", type: "amount", absent: 0 },
  { key: "needed_turn_budget_usd", name: "neededTurnBudgetUsd", type: "amount", absent: 0 },
];

/** Follow the head as dotted keys, `turn.id = …`, when there is a turn. */
export const TURN_FIELDS: readonly Field<keyof CheckpointTurn>[] = [
  { key: "id", name: "id", type: "text" },
  { key: "role", name: "role", type: "choice", among: ["coder", "reviewer"] },
  { key: "attempt", name: "attempt", type: "integer" },
  { key: "status", name: "status", type: "choice", among: ["started", "settled"] },
  { key: "reserved_usd", name: "reservedUsd", type: "amount" },
  { key: "allowance_usd", name: "allowanceUsd", type: "amount", absent: 0 },
  { key: "unmetered", name: "unmetered", type: "flag", absent: false },
  { key: "started_at", name: "startedAt", type: "time" },
  { key: "session_id", name: "sessionId", type: "text", absent: "" },
  { key: "resumed", name: "resumed", type: "flag", absent: false },
  { key: "tree_mark", name: "treeMark", type: "text", absent: "" },
  { key: "pid", name: "pid", type: "integer", absent: 0 },
  { key: "process_start", name: "processStart", type: "integer", absent: 0 },
  { key: "boot_id", name: "bootId", type: "text", absent: "" },
  { key: "host", name: "host", type: "text", absent: "" },
  { key: "retries", name: "retries", type: "integer", absent: 0 },
  { key: "kills", name: "kills", type: "integer", absent: 0 },
  { key: "retry_at", name: "retryAt", type: "text", absent: "" },
];

/** An inline table after the turn, on one line. */
export const OUTCOME_KEY = "outcome";

export const OUTCOME_FIELDS: readonly Field<keyof CheckpointOutcome>[] = [
  { key: "outcome", name: "outcome", type: "text" },
  { key: "message", name: "message", type: "text" },
  { key: "allow", name: "allow", type: "texts", absent: Object.freeze([]) },
  { key: "requests", name: "requests", type: "integer", absent: 0 },
];

/** An inline table whose contents are the driving program's, before the unknown keys. */
export const SETTINGS_KEY = "settings";

/** Values that grow with the run. */
export const LIST_FIELDS: readonly Field<keyof Checkpoint>[] = [
  { key: "cycle_commits", name: "cycleCommits", type: "texts" },
  { key: "child_bead_ids", name: "childBeadIds", type: "texts" },
  { key: "filter_history", name: "filterHistory", type: "texts", absent: Object.freeze([]) },
  { key: "untouchable_paths", name: "untouchablePaths", type: "texts", absent: Object.freeze([]) },
  { key: "relayed_answers", name: "relayedAnswers", type: "texts", absent: Object.freeze([]) },
];

/** The names of {@link LARGE_FIELDS}. */
export type LargeName =
  | "taskTitle"
  | "failure"
  | "originalDescription"
  | "refactorDescription"
  | "humanResponses"
  | "coderOutput"
  | "reviewOutput"
  | "lintOutput"
  | "filterOutput";

/** Texts without a bound: what a task says and what agents and checks print. */
export const LARGE_FIELDS: readonly Field<LargeName>[] = [
  { key: "task_title", name: "taskTitle", type: "text" },
  { key: "failure", name: "failure", type: "text", absent: "" },
  { key: "original_description", name: "originalDescription", type: "text", absent: "" },
  { key: "refactor_description", name: "refactorDescription", type: "text", absent: "" },
  { key: "human_responses", name: "humanResponses", type: "text", absent: "" },
  { key: "coder_output", name: "coderOutput", type: "text" },
  { key: "review_output", name: "reviewOutput", type: "text" },
  { key: "lint_output", name: "lintOutput", type: "text" },
  { key: "filter_output", name: "filterOutput", type: "text", absent: "" },
];

export const ROOT_FIELDS: readonly Field<keyof Checkpoint>[] = [
  ...HEAD_FIELDS,
  ...LIST_FIELDS,
  ...LARGE_FIELDS,
];

/** Arrays of tables at the end of the file; where one is empty, `key = []` among the lists. */
export const FINDING_LISTS: readonly { key: string; name: "findings" | "allFindings" }[] = [
  { key: "findings", name: "findings" },
  { key: "all_findings", name: "allFindings" },
];

export const FINDING_FIELDS: readonly Field<keyof CheckpointFinding>[] = [
  { key: "id", name: "id", type: "text", absent: "" },
  { key: "severity", name: "severity", type: "text" },
  { key: "description", name: "description", type: "text" },
  { key: "cycle", name: "cycle", type: "integer" },
  {
    key: "status",
    name: "status",
    type: "choice",
    among: ["found", "fixed", "still_present", "regressed"],
    absent: "found",
  },
];

/** An array of tables behind the findings. */
export const QUESTION_KEY = "question";

export const QUESTION_FIELDS: readonly Field<keyof CheckpointQuestion>[] = [
  { key: "id", name: "id", type: "text" },
  { key: "turn_id", name: "turnId", type: "text" },
  { key: "role", name: "role", type: "choice", among: ["coder", "reviewer"] },
  { key: "cycle", name: "cycle", type: "integer" },
  {
    key: "kind",
    name: "kind",
    type: "choice",
    among: ["decision_needed", "ambiguity", "blocker", "human_review"],
  },
  { key: "summary", name: "summary", type: "text" },
  { key: "detail", name: "detail", type: "text" },
  { key: "options", name: "options", type: "texts" },
];

/** An array of tables before the ledger. */
export const PROTECTED_KEY = "protected";

export const PROTECTED_FIELDS: readonly Field<keyof CheckpointProtectedPath>[] = [
  { key: "path", name: "path", type: "text" },
  { key: "mode", name: "mode", type: "text" },
  { key: "id", name: "id", type: "text" },
];

/** An array of tables at the very end of the file. */
export const LEDGER_KEY = "ledger";

export const LEDGER_FIELDS: readonly Field<keyof CheckpointLedgerEntry>[] = [
  { key: "turn_id", name: "turnId", type: "text" },
  { key: "role", name: "role", type: "choice", among: ["coder", "reviewer"] },
  { key: "cycle", name: "cycle", type: "integer" },
  { key: "attempt", name: "attempt", type: "integer" },
  { key: "status", name: "status", type: "choice", among: ["settled", "failed", "lost"] },
  {
    key: "source",
    name: "source",
    type: "choice",
    among: ["reported", "computed", "partial", "unknown"],
  },
  { key: "reserved_usd", name: "reservedUsd", type: "amount" },
  { key: "cost_usd", name: "costUsd", type: "amount" },
  { key: "unknown_usd", name: "unknownUsd", type: "amount" },
  { key: "started_at", name: "startedAt", type: "text" },
];

/** Says that the file ends in a seal, so that a file without one is known to be cut. */
export const SEALED_KEY = "sealed";

/** Says which texts are elsewhere: `quasar_artifacts = { coder_output = '<sha256>' }`. */
export const ARTIFACTS_KEY = "quasar_artifacts";

/** All that a field may be called on disk. */
export function keysOf({ key, formerKey }: Field): readonly string[] {
  return formerKey === undefined ? [key] : [key, formerKey];
}

/** Every root key that is not kept in `extra`. */
export const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...ROOT_FIELDS.flatMap(keysOf),
  ...FINDING_LISTS.map((list) => list.key),
  SEALED_KEY,
  ARTIFACTS_KEY,
  LEDGER_KEY,
  PROTECTED_KEY,
  QUESTION_KEY,
  OUTCOME_KEY,
  SETTINGS_KEY,
  "turn",
]);
