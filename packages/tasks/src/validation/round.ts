import { currentGitSha, GitError, treeToCommit } from "@quasar/git";
import { newReceiptId, receiptPaths, signReceipt, type ValidationReceipt } from "@quasar/receipts";
import type { LookPorts, StepProgress } from "../steps/step.ts";
import type { TaskEvent } from "../task-event.ts";
import type { TaskRecord, ValidationCommand } from "../task-record.ts";
import { receiptsFolder } from "./folder.ts";
import { tailOf } from "./output.ts";
import { argvOf, configDigest, type FindProof } from "./proof.ts";
import { runCommand } from "./run-command.ts";
import { keepStarted } from "./started.ts";

export interface RoundOptions {
  readonly taskDir: string;
  readonly task: Pick<TaskRecord, "id" | "workspaceId" | "config">;
  /** Under whose name the receipts are. */
  readonly stepName: string;
  /** From 1. */
  readonly attempt: number;
  /** Absolute path of the work tree's root. */
  readonly worktree: string;
  readonly runId: string;
  readonly ports: Pick<LookPorts, "keys" | "env" | "checkEnv" | "now" | "redact">;
  /** Of the step, beside that of each command, in milliseconds from now. @default none */
  readonly timeoutMs?: number | undefined;
  /** @default nothing is proved: every command is run */
  readonly findProof?: FindProof | undefined;
  readonly tell: (event: TaskEvent) => void;
  readonly note: (progress: StepProgress) => void;
  /** Hears of a receipt as soon as it is signed. */
  readonly onSigned?: ((receipt: ValidationReceipt) => void) | undefined;
  readonly signal: AbortSignal;
}

/** What came of one command. */
export interface CommandResult {
  readonly command: ValidationCommand;
  readonly receipt: ValidationReceipt;
  /** It was not run: the receipt is of an earlier time. */
  readonly isReused: boolean;
  /** The limit that it was ended for. */
  readonly limit?: "time" | "output" | undefined;
}

/** What came of a configuration's commands; `results` has those that were reached, in order. */
export type Round =
  | { readonly kind: "passed"; readonly results: readonly CommandResult[] }
  | {
      readonly kind: "failed";
      /** The last one is the one that has failed: none is run after it. */
      readonly results: readonly CommandResult[];
    }
  | { readonly kind: "interrupted" }
  /** A command could not be run: nothing is known of the code. */
  | { readonly kind: "broken"; readonly message: string; readonly storage: boolean };

/**
 * Runs the commands of a task's configuration in order, up to the first that fails, and signs what came
 * of each as soon as it has ended. What a receipt proves is not run again, but at least one command is:
 * what is on record as passed has a receipt of its own.
 *
 * @throws {ReceiptError} as `signReceipt` does
 * @see SPEC.md, "Validation"
 */
export async function validateRound(options: RoundOptions): Promise<Round> {
  const { task, tell, stepName, findProof, worktree, signal, timeoutMs = Infinity } = options;
  const { commands, timeoutMs: ofCommand } = task.config.validation;
  const deadline = performance.now() + timeoutMs;
  const results: CommandResult[] = [];
  let here = await placeOf(worktree, tell);
  for (const [index, command] of commands.entries()) {
    if (signal.aborted) return { kind: "interrupted" };
    const configSha256 = configDigest(task.config.validation, index);
    const isNeeded = index === commands.length - 1 && results.every(({ isReused }) => isReused);
    const { tree } = here;
    const proof = isNeeded || tree === undefined ? undefined : findProof?.({ tree, configSha256 });
    if (proof !== undefined) {
      const { receiptId } = proof;
      tell({ type: "command_reused", step: stepName, command: command.command, receiptId });
      results.push({ command, receipt: proof, isReused: true });
      continue;
    }
    const time = Math.max(0, Math.min(ofCommand, deadline - performance.now()));
    const ran = await runAndSign(options, { command, configSha256, before: here, timeoutMs: time });
    if (ran.kind !== "signed") return ran;
    results.push(ran.result);
    here = ran.after;
    if (ran.result.receipt.exitCode !== 0) return { kind: "failed", results };
  }
  return { kind: "passed", results };
}

/** What a command finds, and leaves. */
interface Place {
  /** That a commit of everything would have. */
  readonly tree?: string | undefined;
  readonly commit?: string | undefined;
}

interface OneRun {
  readonly command: ValidationCommand;
  readonly configSha256: string;
  readonly before: Place;
  readonly timeoutMs: number;
}

type Ran =
  | { readonly kind: "signed"; readonly result: CommandResult; readonly after: Place }
  | Extract<Round, { readonly kind: "interrupted" | "broken" }>;

async function runAndSign(options: RoundOptions, run: OneRun): Promise<Ran> {
  const { taskDir, task, stepName, attempt, worktree, runId, ports, tell, note, signal } = options;
  const { command, configSha256, before, timeoutMs } = run;
  const dir = receiptsFolder(taskDir);
  const receiptId = newReceiptId();
  const { stdout, stderr } = receiptPaths(dir, receiptId);
  const argv = argvOf(command.command);
  const startedAt = ports.now();
  keepStarted(dir, {
    receiptId,
    stepName,
    attempt,
    command: command.command,
    startedAt: startedAt.toISOString(),
  });
  tell({ type: "command_started", step: stepName, command: command.command });
  note({ workingOn: `Running ${command.command}` });
  const lastOutput = (): string => tailOf([stdout, stderr], 500, ports.redact);
  const onOutput = (): void => note({ lastOutput: lastOutput() });
  const { checkEnv: env = ports.env } = ports;
  const limits = { timeoutMs, signal };
  const end = await runCommand({
    ...{ argv, workDir: worktree, env, runId, stdout, stderr, onOutput },
    ...limits,
  });
  if (end.kind !== "ended") return end;
  const completedAt = new Date(startedAt.getTime() + end.durationMs);

  const after = await placeOf(worktree, tell);
  const { receipt } = signReceipt(
    {
      receiptId,
      workspaceId: task.workspaceId,
      taskId: task.id,
      stepName,
      attempt,
      command: command.command,
      argv,
      exitCode: end.exitCode,
      signal: end.signal,
      startedAt: startedAt.toISOString(),
      completedAt: completedAt.toISOString(),
      durationMs: end.durationMs,
      configSha256,
      commitBefore: before.commit,
      treeBefore: before.tree,
      commitAfter: after.commit,
      treeAfter: after.tree,
    },
    { keys: ports.keys, dir },
  );
  options.onSigned?.(receipt);
  const { exitCode } = receipt;
  const { durationMs } = end;
  const done = { step: stepName, command: command.command, exitCode, durationMs, receiptId };
  tell({ type: "command_done", ...done });
  return { kind: "signed", result: { command, receipt, isReused: false, limit: end.limit }, after };
}

/** A work tree that cannot be named justifies no skip later; its commands are run all the same. */
async function placeOf(worktree: string, tell: RoundOptions["tell"]): Promise<Place> {
  const known = async (asked: Promise<string>): Promise<string | undefined> => {
    try {
      return await asked;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if (error.code !== "ERR_NO_COMMITS") {
        tell({ type: "warning", message: `a receipt cannot name its tree: ${error.message}` });
      }
      return undefined;
    }
  };
  const [tree, commit] = await Promise.all([
    known(treeToCommit(worktree)),
    known(currentGitSha(worktree)),
  ]);
  return { tree, commit };
}
