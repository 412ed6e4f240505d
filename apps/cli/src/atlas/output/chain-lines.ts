import { cleanLine } from "@quasar/runs/text";
import type { ReceiptChain } from "@quasar/tasks/receipts";
import { ATLAS_EXIT, EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { labelled, type View } from "../../shared/output/text.ts";

/** Of many the first. */
const MOST_PROBLEMS = 8;

/** What is wrong with a task's receipts taken together; nothing where nothing is. */
export function chainLines({ kind, problems, signed, here }: ReceiptChain, view: View): string[] {
  if (kind === "valid") {
    if (here === 0 || signed !== undefined) return [];
    const text = "no head of the chain is kept here: missing receipts would not be noticed";
    return labelled(view, "chain", text, "yellow");
  }
  const word = kind === "invalid" ? "BROKEN ✗" : "UNVERIFIABLE";
  const style = kind === "invalid" ? "red" : "yellow";
  const shown = problems.slice(0, MOST_PROBLEMS);
  const rest = problems.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].flatMap((problem, n) =>
    labelled(
      view,
      n === 0 ? "chain" : "",
      `${n === 0 ? `${word} ` : ""}${cleanLine(problem)}`,
      style,
    ),
  );
}

/** What a chain is broken by: keys that are not here say nothing against the receipts. */
export function brokenBy({ kind, problems }: ReceiptChain): readonly string[] {
  return kind === "invalid" ? problems : [];
}

/**
 * How many of a task's receipts are here, and how many a head of their chain counts.
 *
 * @param named - The head that the commit itself names, if it does.
 */
export function receiptsText(
  { here, signed, tail }: Pick<ReceiptChain, "here" | "signed" | "tail">,
  named?: object,
): string {
  const open = tail === "unproved" && here > 0 ? "; receipts after them could be missing" : "";
  if (signed === undefined) return `${here} are here${open}`;
  if (here <= signed) return `${here} of ${signed} signed are here${open}`;
  const by = named === undefined ? "on record" : "named by the commit";
  return `${here} are here, ${signed} of them ${by}${open}`;
}

/** The same problems for a command that reports what happens, each a warning. */
export function chainWarnings(problems: readonly string[]): readonly string[] {
  const rest = problems.length - MOST_PROBLEMS;
  return [...problems.slice(0, MOST_PROBLEMS), ...(rest > 0 ? [`and ${rest} more`] : [])].map(
    (problem) => `the chain of receipts is BROKEN, do not rely on it: ${cleanLine(problem)}`,
  );
}

/** What a command that shows receipts leaves with, where nothing else decides. */
export function chainExit({ kind }: Pick<ReceiptChain, "kind">): ExitCode {
  return kind === "invalid" ? ATLAS_EXIT.invalidReceipt : EXIT.ok;
}
