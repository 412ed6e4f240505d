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
  type Verdict,
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
export function findProofs(of: ProofsOf): FindProof {
  return proofsAmong(knownReceipts(of));
}

/** A tree that a task's configuration has passed on. */
export interface ValidatedTree {
  readonly tree: string;
  /** What HEAD was at then; `undefined` where there was no commit. */
  readonly commit: string | undefined;
}

/**
 * The tree that was validated last: the present one, where receipts prove every command for it; else
 * the one that the newest receipt has, if they prove every command for that one.
 *
 * @param present - As `treeToCommit` says.
 */
export function validatedTree(
  of: ProofsOf & { readonly task: Pick<TaskRecord, "config"> },
  present: string,
): ValidatedTree | undefined {
  const { validation } = of.task.config;
  const digests = validation.commands.map((_, index) => configDigest(validation, index));
  const known = knownReceipts(of);
  const findProof = proofsAmong(known);
  const { treeAfter: newest, commitAfter: commit } = known.valid.at(-1)?.said ?? {};
  const tree = [present, newest].find(
    (each) =>
      each !== undefined &&
      digests.every((configSha256) => findProof({ tree: each, configSha256 }) !== undefined),
  );
  return tree === undefined || digests.length === 0 ? undefined : { tree, commit };
}

interface KnownReceipts {
  /** In the order of the chain. */
  readonly valid: readonly {
    readonly receipt: ValidationReceipt;
    readonly verdict: Verdict;
    readonly said: ReceiptStatement;
  }[];
  /** How many were signed. */
  readonly count: number;
}

function knownReceipts({ taskDir, task, keys }: ProofsOf): KnownReceipts {
  const name = { workspaceId: task.workspaceId, taskId: task.id };
  const dir = receiptsFolder(taskDir);
  const valid = listReceipts(dir)
    .map((receipt) => ({ receipt, ...inspectReceipt(receipt, { dir, task: name, keys }) }))
    .flatMap((each) => (each.statement === undefined ? [] : [{ ...each, said: each.statement }]));
  return { valid, count: headOf(keys, name) };
}

function proofsAmong({ valid, count }: KnownReceipts): FindProof {
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
