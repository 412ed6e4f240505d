import { join } from "node:path";
import { createHookFileStore, TASK_FILES } from "@quasar/hookfile";
import { type ValidationReceipt, type Verdict, verifyReceipt } from "@quasar/receipts";
import { type FoundTask, listTasks, TasksError } from "@quasar/tasks";
import { CliError } from "../../errors.ts";
import { ATLAS_EXIT, EXIT, type ExitCode } from "../../exit-codes.ts";
import { cleanLine, jsonLine } from "../../output/clean.ts";
import { JSON_VERSION, viewOf, write } from "../../output/reporter.ts";
import type { Paint } from "../../output/text.ts";
import type { Given } from "../command.ts";
import { findMeant } from "../find.ts";
import { type Installation, openInstallation } from "../installation.ts";

/** `atlas hook verify-receipt`: whether a receipt is what was signed. Makes no key. */
export async function verifyReceiptCommand(receiptId: string, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { task, receipt } = await findReceipt(installation, receiptId, given.task);
  const dir = join(task.dir, TASK_FILES.artifacts, "receipts");
  const { workspaceId, taskId } = task;
  const name = { workspaceId, taskId };
  const verdict = verifyReceipt(receipt, { dir, task: name, keys: installation.keys });
  const exit = exitOf(verdict);
  if (given.json === true) {
    const line = { exit, ...name, receipt, verdict };
    process.stdout.write(jsonLine({ v: JSON_VERSION, type: "receipt", ...line }));
  } else {
    write(process.stdout, verdictLines(receipt, verdict, viewOf(process.stdout).paint));
  }
  return exit;
}

/** What was printed is what the receipt is about: changed, it is as good as none. */
function exitOf(verdict: Verdict): ExitCode {
  if (verdict.kind === "unverifiable") return ATLAS_EXIT.unverifiableReceipt;
  const isGood = verdict.kind === "valid" && verdict.output !== "modified";
  return isGood ? EXIT.ok : ATLAS_EXIT.invalidReceipt;
}

/** In the seed's words and order, and what became of the output. */
export function verdictLines(
  receipt: ValidationReceipt,
  verdict: Verdict,
  paint: Paint,
): readonly string[] {
  return [
    `Receipt: ${cleanLine(receipt.receiptId)}`,
    `Step: ${cleanLine(receipt.stepName)}`,
    `Command: ${cleanLine(receipt.command)}`,
    `Exit Code: ${receipt.exitCode}`,
    `Output: ${verdict.output.toUpperCase()}`,
    `Key Path: ${cleanLine(receipt.keyPath)}`,
    ...conclusion(receipt, verdict, paint),
  ];
}

function conclusion(receipt: ValidationReceipt, verdict: Verdict, paint: Paint): readonly string[] {
  switch (verdict.kind) {
    case "invalid":
      return [
        `Signature: ${paint("red", "INVALID ✗")}`,
        "",
        `This receipt is not what was signed: ${cleanLine(verdict.reason)}.`,
        "Nothing can be concluded from it.",
      ];
    case "unverifiable":
      return [
        `Signature: ${paint("yellow", "UNVERIFIABLE")}`,
        "",
        `Whether this receipt is genuine cannot be said here: ${cleanLine(verdict.reason)}.`,
        `It names the key ${cleanLine(verdict.signedBy)}; here are: ${keysText(verdict.keyIds)}.`,
      ];
    case "valid":
      return [
        `Signature: ${paint("green", "VALID ✓")}`,
        "",
        "This receipt was signed by your ATLAS installation.",
        ...(verdict.coverage === "partial"
          ? ["Its signature leaves step, times and task uncovered: it is of the seed's first kind."]
          : []),
        outcomeText(receipt, verdict.output),
      ];
  }
}

function keysText(keyIds: readonly string[]): string {
  return keyIds.length === 0 ? "none" : keyIds.map(cleanLine).join(", ");
}

function outcomeText({ exitCode }: ValidationReceipt, output: Verdict["output"]): string {
  if (output === "modified") return "What is kept of the command's output has been changed since.";
  return exitCode === 0
    ? "The validation command ran and completed successfully."
    : `The validation command ran and failed with exit code ${exitCode}.`;
}

interface FoundReceipt {
  readonly task: FoundTask;
  readonly receipt: ValidationReceipt;
}

/** In the task that is meant; where none was named, in any other after it. */
async function findReceipt(
  installation: Installation,
  receiptId: string,
  id: string | undefined,
): Promise<FoundReceipt> {
  const meant = await findMeant(installation, id).catch((error: unknown) => {
    const isNone = error instanceof TasksError && id === undefined;
    if (isNone && (error.code === "ERR_NOT_FOUND" || error.code === "ERR_AMBIGUOUS"))
      return undefined;
    throw error;
  });
  const others = id === undefined ? listTasks(installation.home) : [];
  for (const task of [...(meant === undefined ? [] : [meant]), ...others]) {
    if (task.hook === undefined) continue;
    const [receipt] = [...createHookFileStore({ dir: task.dir }).receipts()].filter(
      (one) => one.receiptId === receiptId,
    );
    if (receipt !== undefined) return { task, receipt };
  }
  const where = id === undefined ? "no task has" : "the task does not have";
  throw new CliError("ERR_NOT_FOUND", `${where} a receipt ${cleanLine(receiptId)}`, {
    next: ["atlas status, to see which there are", "atlas status --all"],
  });
}
