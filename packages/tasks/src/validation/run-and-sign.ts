import { newReceiptId, receiptPaths, signReceipt } from "@quasar/receipts";
import { runCommand } from "@quasar/runs/tree";
import type { ValidationCommand } from "../task-record.ts";
import { receiptsFolder } from "./folder.ts";
import { tailOf } from "./output.ts";
import { type Place, placeOf } from "./place.ts";
import { argvOf } from "./proof.ts";
import type { RoundOptions } from "./round-options.ts";
import type { CommandResult, Round } from "./round-result.ts";
import { keepStarted } from "./started.ts";

export interface OneRun {
  readonly command: ValidationCommand;
  readonly configSha256: string;
  readonly before: Place;
  readonly timeoutMs: number;
}

export type Ran =
  | { readonly kind: "signed"; readonly result: CommandResult; readonly after: Place }
  | Extract<Round, { readonly kind: "interrupted" | "broken" }>;

/** Runs a command of a round, and signs what came of it. */
export async function runAndSign(options: RoundOptions, run: OneRun): Promise<Ran> {
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
    ...{ argv, workTree: worktree, env, runId, stdout, stderr, onOutput },
    ...limits,
  });
  if (end.kind !== "ended") return end;
  const completedAt = new Date(startedAt.getTime() + end.durationMs);

  const after = await placeOf(options);
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
