import { type HookFile, isTerminal, nextStep } from "@quasar/hookfile";
import { withReceipts } from "../engine/adopt-receipts.ts";
import { ignoredBeside } from "../ignored-work.ts";
import type { LookPorts } from "../steps/step.ts";
import type { TaskEvent } from "../task-event.ts";
import type { TaskRecord } from "../task-record.ts";
import { repairTask } from "../task-repair.ts";
import { missingReceipts } from "../validation/adopt.ts";
import { failureReason } from "../validation/failure-reason.ts";
import { type ValidatedNow, validateNow } from "../validation/validate-now.ts";
import { notAwaited } from "./awaited.ts";
import { openHookStore } from "./change-task.ts";

/**
 * What came of it, and the hook file with the new receipts. `reason`: which command failed, its last lines
 * and what to do, in words for a person.
 */
export type ValidatedTask = { readonly hook: HookFile } & (
  | Exclude<ValidatedNow, Failed>
  | (Extract<ValidatedNow, Failed> & { readonly reason: string })
);

interface Failed {
  readonly kind: "failed";
}

export interface ValidateTaskOptions {
  /** The task as it was opened. */
  readonly task: TaskRecord;
  readonly hook: HookFile;
  readonly ports: LookPorts;
  readonly tell: (event: TaskEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs a task's validation commands and signs what came of each; the receipts go into the hook file,
 * under the step that is current or next. Whatever comes of it, the task stays where it is: its
 * validation step takes a receipt that proves the very tree that it finds.
 *
 * @throws {TasksError} `ERR_NOT_AWAITED` where the task has ended; what `validateNow` throws.
 */
export async function validateTask(
  taskDir: string,
  { task, hook, ports, tell, signal }: ValidateTaskOptions,
): Promise<ValidatedTask> {
  if (isTerminal(hook.state)) throw notAwaited(hook, "there is nothing to validate");
  const { worktreePath: worktree, currentStep } = hook;
  const { stepName, attempt } = currentStep ?? { stepName: nextStep(hook)?.name ?? "", attempt: 1 };
  const where = { taskDir, task, worktree, stepName, attempt };
  const validated = await validateNow({ ...where, ports, tell, signal });
  const store = openHookStore(taskDir, ports);
  // Only its own: whoever drives the task records what it has signed together with the step's end.
  const own = new Set(validated.receipts.map(({ receiptId }) => receiptId));
  const after = store.update((now) => {
    const missing = missingReceipts(store, taskDir, ports.keys);
    return withReceipts(
      now,
      missing.filter(({ receiptId }) => own.has(receiptId)),
    );
  });
  repairTask(taskDir, after);
  const ignored = validated.kind === "passed" ? await ignoredBeside(worktree, task, signal) : "";
  if (ignored !== "") tell({ type: "warning", message: ignored });
  if (validated.kind !== "failed") return { ...validated, hook: after };
  const reason = failureReason(validated.failed, { taskDir, redact: ports.redact });
  return { ...validated, reason, hook: after };
}
