import { TRAILER } from "@quasar/git";
import { formatReceiptsTrailer, ReceiptError } from "@quasar/receipts";
import { plainLine } from "../plain.ts";
import type { RunningStep } from "./step.ts";

/**
 * The trailer `Quasar-Receipts`: the head of the task's chain of receipts, for where it outlives the task's
 * files. None where nothing was signed; keys that cannot be read keep no work from being committed.
 */
export function receiptsTrailer({
  task,
  ports,
  tell,
}: Pick<RunningStep, "task" | "ports" | "tell">): Readonly<Record<string, string>> {
  try {
    const head = ports.keys.head({ workspaceId: task.workspaceId, taskId: task.id });
    if (head === undefined) return {};
    const line = formatReceiptsTrailer(head);
    return { [TRAILER.receipts]: line.slice(line.indexOf(":") + 2) };
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    const message = `the head of the receipts is not told: ${plainLine(error.message)}`;
    tell({ type: "warning", message });
    return {};
  }
}
