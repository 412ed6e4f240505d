import { listTaskFolders } from "@quasar/hookfile/folders";
import {
  listReceipts,
  type ReceiptStatement,
  type TaskName,
  type ValidationReceipt,
  type Verdict,
} from "@quasar/receipts";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { TasksError } from "@quasar/tasks";
import { judgeReceipts, type ReceiptChain, taskReceipts } from "@quasar/tasks/receipts";
import { result } from "../../shared/output/json.ts";
import { CliError } from "../../shared/errors.ts";
import { ATLAS_EXIT, EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import type { Paint } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { chainFacts, receiptFacts, statementFacts } from "../facts/receipt.ts";
import { findMeant } from "../find.ts";
import { type Installation, openInstallation } from "../installation.ts";
import { chainLines } from "../output/chain-lines.ts";
import type { ReceiptLine } from "../schemas/hook.ts";

/** `atlas hook verify-receipt`: whether a receipt is what was signed. Makes no key. */
export async function verifyReceiptCommand(receiptId: string, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { name, receipt, judged } = await findReceipt(installation, receiptId, given.task);
  const { chain, statements } = judged;
  const statement = statements.find((each) => each.receiptId === receiptId);
  const verdict = judged.verdicts.get(receiptId) ?? UNJUDGED;
  const exit = exitOf(receipt, verdict, chain, given.requirePass === true);
  if (given.json === true) {
    const line = {
      ...name,
      receipt: receiptFacts(receipt),
      verdict,
      statement: statement && statementFacts(statement),
      chain: chainFacts(chain),
    };
    const printed = result("receipt", line, exit) satisfies ReceiptLine;
    process.stdout.write(jsonLine(printed));
  } else {
    const view = viewOf(process.stdout);
    const lines = verdictLines({ receipt, verdict, statement }, view.paint);
    const broken = chainLines(chain, view);
    write(process.stdout, [...lines, ...(broken.length === 0 ? [] : ["", ...broken])]);
  }
  return exit;
}

const UNJUDGED: Verdict = {
  ...{ kind: "unverifiable", reason: "it could not be read" },
  ...{ signedBy: "", keyIds: [], output: "unchecked" },
};

/**
 * What was printed is what the receipt is about: changed, it is as good as none; deleted, nobody can
 * say any more what it was.
 */
function exitOf(
  { exitCode }: ValidationReceipt,
  { kind, output }: Verdict,
  chain: ReceiptChain,
  requiresPass: boolean,
): ExitCode {
  if (kind === "invalid" || output === "modified") return ATLAS_EXIT.invalidReceipt;
  if (chain.kind === "invalid") return ATLAS_EXIT.invalidReceipt;
  if (kind === "unverifiable" || output === "missing") return ATLAS_EXIT.unverifiableReceipt;
  return requiresPass && exitCode !== 0 ? ATLAS_EXIT.invalidReceipt : EXIT.ok;
}

/** A receipt, what is found of it, and what was signed where that is known. */
export interface JudgedReceipt {
  readonly receipt: ValidationReceipt;
  readonly verdict: Verdict;
  readonly statement?: ReceiptStatement | undefined;
}

/** In the seed's words and order; with what became of the output, and what the command ran on. */
export function verdictLines(
  { receipt, verdict, statement }: JudgedReceipt,
  paint: Paint,
): readonly string[] {
  const { commitBefore, treeBefore, treeAfter } = statement ?? {};
  const changed =
    treeBefore === treeAfter || treeBefore === undefined ? "" : ` (was ${treeBefore})`;
  return [
    `Receipt: ${cleanLine(receipt.receiptId)}`,
    `Step: ${cleanLine(receipt.stepName)}`,
    `Command: ${cleanLine(receipt.command)}`,
    `Exit Code: ${receipt.exitCode}`,
    `Output: ${verdict.output === "missing" ? "DELETED" : verdict.output.toUpperCase()}`,
    ...(commitBefore === undefined ? [] : [`Commit: ${commitBefore}`]),
    ...(treeAfter === undefined ? [] : [`Tree: ${treeAfter}${changed}`]),
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
        ...outcomeLines(receipt, verdict.output),
      ];
  }
}

function keysText(keyIds: readonly string[]): string {
  return keyIds.length === 0 ? "none" : keyIds.map(cleanLine).join(", ");
}

function outcomeLines(
  { exitCode }: ValidationReceipt,
  output: Verdict["output"],
): readonly string[] {
  if (output === "modified") {
    return ["What is kept of the command's output has been changed since."];
  }
  const outcome =
    exitCode === 0
      ? "The validation command ran and completed successfully."
      : `The validation command ran and FAILED with exit code ${exitCode}: this is no pass.`;
  const deleted = "Its output has been deleted: only the hash of it is left.";
  return output === "missing" ? [outcome, deleted] : [outcome];
}

interface FoundReceipt {
  readonly name: TaskName;
  readonly receipt: ValidationReceipt;
  readonly judged: ReturnType<typeof judgeReceipts>;
}

/** In the task that is meant; where none was named, in any other after it. Cleaned up ones count. */
async function findReceipt(
  installation: Installation,
  receiptId: string,
  id: string | undefined,
): Promise<FoundReceipt> {
  const folders = listTaskFolders(installation.workspacesDir);
  const meant = await findMeant(installation, id).catch((error: unknown) => {
    if (!(error instanceof TasksError) || !NOT_ONE.has(error.code)) throw error;
    const buried = folders.find(({ taskId }) => taskId === id);
    if (id === undefined || buried !== undefined) return buried;
    throw error;
  });
  const others = id === undefined ? folders : [];
  for (const task of [...(meant === undefined ? [] : [meant]), ...others]) {
    const { workspaceId, taskId } = task;
    const name = { workspaceId, taskId };
    const found = taskReceipts(task.dir);
    const all = [...found.recorded, ...listReceipts(found.dir)];
    if (!all.some((one) => one.receiptId === receiptId)) continue;
    const judged = judgeReceipts({ ...found, task: name, keys: installation.keys });
    const receipt = judged.receipts.find((one) => one.receiptId === receiptId);
    if (receipt !== undefined) return { name, receipt, judged };
  }
  const where = id === undefined ? "no task has" : "the task does not have";
  throw new CliError("ERR_NOT_FOUND", `${where} a receipt ${cleanLine(receiptId)}`, {
    next: ["atlas status, to see which there are", "atlas list"],
  });
}

const NOT_ONE: ReadonlySet<string> = new Set(["ERR_NOT_FOUND", "ERR_AMBIGUOUS"]);
