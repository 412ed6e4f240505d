import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createKeyManager,
  type KeyManager,
  newReceiptId,
  receiptPaths,
  signReceipt,
  type TaskName,
  type ValidationReceipt,
} from "../src/index.ts";
import type { SignedReceipt } from "../src/sign.ts";
import type { CommandRun } from "../src/statement.ts";
import type { VerifyOptions } from "../src/verify.ts";

export const TREE = "7".repeat(40);
export const CONFIG = "c".repeat(64);

export function aRun(change: Partial<CommandRun> = {}): CommandRun {
  return {
    receiptId: newReceiptId(),
    workspaceId: "fix-config",
    taskId: "task-20260117-143022",
    stepName: "validate",
    attempt: 1,
    command: "go test ./...",
    argv: ["sh", "-c", "go test ./..."],
    exitCode: 0,
    startedAt: "2026-01-17T14:42:15.123Z",
    completedAt: "2026-01-17T14:42:27.423Z",
    durationMs: 12_300,
    configSha256: CONFIG,
    commitBefore: "1".repeat(40),
    treeBefore: TREE,
    commitAfter: "1".repeat(40),
    treeAfter: TREE,
    ...change,
  };
}

/** An installation with the receipts of one task, in a folder of its own. */
export interface Place extends VerifyOptions {
  readonly root: string;
  readonly keys: KeyManager;
  sign(change?: Partial<CommandRun>, outputs?: Outputs): SignedReceipt;
  /** The bytes of a receipt's file. */
  file(receipt: ValidationReceipt): Buffer;
  remove(): void;
}

interface Outputs {
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Where a flush costs nothing, if there is such a place: power cuts are not what is tested here. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export const newFolder = (): string => mkdtempSync(join(memory, "receipts-"));

export function aPlace(name: Partial<TaskName> = {}): Place {
  const root = newFolder();
  const dir = join(root, "receipts");
  mkdirSync(dir);
  const keys = createKeyManager({ dir: join(root, "keys") });
  const { workspaceId, taskId } = aRun(name);
  return {
    root,
    dir,
    keys,
    task: { workspaceId, taskId },
    sign: (change, outputs = {}) => {
      const run = aRun({ ...name, ...change });
      const paths = receiptPaths(dir, run.receiptId);
      writeFileSync(paths.stdout, outputs.stdout ?? "ok\n");
      writeFileSync(paths.stderr, outputs.stderr ?? "");
      return signReceipt(run, { keys, dir });
    },
    file: ({ receiptId }) => readFileSync(receiptPaths(dir, receiptId).envelope),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A copy of an object with one key changed. */
export function changed<T extends object>(value: T, change: Partial<T>): T {
  return { ...value, ...change };
}
