import { Buffer } from "node:buffer";
import { ReceiptError } from "./errors.ts";
import * as is from "./fields.ts";

/** What ran, and on what, as the caller knows it. */
export interface CommandRun {
  /** Unique in its task: see `newReceiptId`. Its outputs are in the receipts' folder under this id. */
  readonly receiptId: string;
  readonly workspaceId: string;
  readonly taskId: string;
  readonly stepName: string;
  /** From 1. */
  readonly attempt: number;
  /** As a person wrote it. */
  readonly command: string;
  /** As it was spawned. */
  readonly argv: readonly string[];
  /** 0 to 255, or 128 + the number of the signal that ended it. */
  readonly exitCode: number;
  /** `SIGKILL`. */
  readonly signal?: string | undefined;
  /** RFC 3339, UTC, milliseconds; both by the wall clock. */
  readonly startedAt: string;
  readonly completedAt: string;
  /** By a clock that only goes forward. */
  readonly durationMs: number;
  /** SHA-256 of the configuration that the command comes from. */
  readonly configSha256: string;
  /** Ids of git objects when the command was started; absent where there are none. */
  readonly commitBefore?: string | undefined;
  readonly treeBefore?: string | undefined;
  /** And when it had ended. */
  readonly commitAfter?: string | undefined;
  readonly treeAfter?: string | undefined;
}

/** All that a receipt's signature covers. */
export interface ReceiptStatement extends CommandRun {
  /** Number in the task's chain, from 0. */
  readonly sequence: number;
  /** SHA-256 of the previous receipt's file; 64 zeros in the first. */
  readonly previousSha256: string;
  readonly stdoutSha256: string;
  readonly stdoutBytes: number;
  readonly stderrSha256: string;
  readonly stderrBytes: number;
  readonly keyPath: string;
  /** SHA-256 of the certificates of the task's and of the receipt's key. */
  readonly taskCertificateSha256: string;
  readonly receiptCertificateSha256: string;
}

export const STATEMENT_TYPE = "application/vnd.in-toto+json";

const STATEMENT_URI = "https://in-toto.io/Statement/v1";
const PREDICATE_URI = "urn:quasar:validation-receipt:2";

const FIELDS: is.Fields<ReceiptStatement> = {
  receiptId: ["receipt_id", is.name],
  workspaceId: ["workspace_id", is.name],
  taskId: ["task_id", is.name],
  stepName: ["step_name", is.text],
  attempt: ["attempt", is.positive],
  sequence: ["sequence", is.index],
  previousSha256: ["previous_sha256", is.sha256],
  command: ["command", is.text],
  argv: ["argv", is.texts],
  exitCode: ["exit_code", is.exitCode],
  signal: ["signal", is.optional(is.signalName)],
  startedAt: ["started_at", is.time],
  completedAt: ["completed_at", is.time],
  durationMs: ["duration_ms", is.count],
  stdoutSha256: ["stdout_sha256", is.sha256],
  stdoutBytes: ["stdout_bytes", is.count],
  stderrSha256: ["stderr_sha256", is.sha256],
  stderrBytes: ["stderr_bytes", is.count],
  configSha256: ["config_sha256", is.sha256],
  commitBefore: ["commit_before", is.optional(is.gitId)],
  treeBefore: ["tree_before", is.optional(is.gitId)],
  commitAfter: ["commit_after", is.optional(is.gitId)],
  treeAfter: ["tree_after", is.optional(is.gitId)],
  keyPath: ["key_path", is.name],
  taskCertificateSha256: ["task_certificate_sha256", is.sha256],
  receiptCertificateSha256: ["receipt_certificate_sha256", is.sha256],
};

/**
 * An in-toto Statement v1, the same bytes for the same values.
 *
 * @throws {ReceiptError} `ERR_INVALID_RECEIPT`, naming the field.
 * @see SPEC.md, "Statement"
 */
export function encodeStatement(statement: ReceiptStatement): Buffer {
  const predicate = is.toRecord(statement, FIELDS);
  const { receiptId, stdoutSha256, stderrSha256, treeAfter } = statement;
  const subject = [
    { name: `${receiptId}.out`, digest: { sha256: stdoutSha256 } },
    { name: `${receiptId}.err`, digest: { sha256: stderrSha256 } },
    ...(treeAfter === undefined ? [] : [{ name: "tree", digest: { gitTree: treeAfter } }]),
  ];
  return Buffer.from(
    JSON.stringify({ _type: STATEMENT_URI, subject, predicateType: PREDICATE_URI, predicate }),
  );
}

/**
 * Reads what {@link encodeStatement} wrote, and nothing else: what it would not write is refused.
 *
 * @throws {ReceiptError} `ERR_INVALID_RECEIPT`
 */
export function decodeStatement(bytes: Uint8Array): ReceiptStatement {
  const json = is.parseJson(bytes);
  const predicate = typeof json === "object" && json !== null && "predicate" in json;
  const statement = is.fromRecord(predicate ? json.predicate : undefined, FIELDS);
  if (encodeStatement(statement).equals(bytes)) return statement;
  throw new ReceiptError("ERR_INVALID_RECEIPT", "it has a statement that we would not write");
}
