import { createHash } from "node:crypto";
import {
  inspectReceipt,
  justifiesSkip,
  type KeyManager,
  listReceipts,
  ReceiptError,
  type ReceiptStatement,
  type TaskName,
  type ValidationReceipt,
} from "@quasar/receipts";
import type { TaskRecord, ValidationConfig } from "../task-record.ts";
import { receiptsFolder } from "./folder.ts";

/** As a command is spawned. */
export function argvOf(command: string): readonly [string, ...string[]] {
  return ["sh", "-c", command];
}

/**
 * What a command of a configuration is proved by: another command, another one before or after it, or
 * another time limit is another configuration.
 *
 * @param index - Of the command.
 */
export function configDigest(config: ValidationConfig, index: number): string {
  const commands = config.commands.map(({ name, command }) => [name, argvOf(command)]);
  const parts = ["quasar-validation:1", commands, config.timeoutMs, index];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** Finds the receipt that makes a command's run needless. */
export type FindProof = (present: {
  readonly tree: string;
  readonly configSha256: string;
}) => ValidationReceipt | undefined;

export interface ProofsOf {
  readonly taskDir: string;
  readonly task: Pick<TaskRecord, "id" | "workspaceId">;
  readonly keys: KeyManager;
}

/**
 * Looks for proofs among the receipts that are in a task's folder now.
 *
 * The newest valid receipt of this tree and configuration decides, if it is known to be the newest: where
 * one after it is missing or is not what was signed, that one could have been a failure.
 *
 * @see SPEC.md, "When a command is not run"
 */
export function findProofs({ taskDir, task, keys }: ProofsOf): FindProof {
  const name = { workspaceId: task.workspaceId, taskId: task.id };
  const dir = receiptsFolder(taskDir);
  const valid = listReceipts(dir)
    .map((receipt) => ({ receipt, ...inspectReceipt(receipt, { dir, task: name, keys }) }))
    .flatMap((each) => (each.statement === undefined ? [] : [{ ...each, said: each.statement }]));
  const count = headOf(keys, name);
  const known = new Set(valid.map(({ said }) => said.sequence));
  return (present) => {
    const last = valid.findLast(({ said }) => isOf(said, present));
    if (last === undefined || !justifiesSkip(last, present)) return undefined;
    for (let number = last.said.sequence; number < count; number += 1) {
      if (!known.has(number)) return undefined;
    }
    return last.receipt;
  };
}

function isOf(
  { treeBefore, configSha256 }: ReceiptStatement,
  present: { readonly tree: string; readonly configSha256: string },
): boolean {
  return treeBefore === present.tree && configSha256 === present.configSha256;
}

/** How many receipts were signed, as far as that is known; where nobody may know, any could be missing. */
function headOf(keys: KeyManager, name: TaskName): number {
  try {
    return keys.head(name)?.count ?? 0;
  } catch (error) {
    if (error instanceof ReceiptError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
