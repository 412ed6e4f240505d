import {
  judgeReceipts,
  problemsOf,
  readTask,
  type ReceiptChain,
  receiptsFolder,
  recordedReceipts,
} from "@quasar/tasks";
import type { Installation } from "./installation.ts";
import { chainWarnings } from "./output/chain-lines.ts";

/**
 * Judges a task's receipts whenever it is called, against the head that is kept, and warns of what is
 * wrong with them: of each problem once, so that a command can look before and after its work.
 */
export function watchChain(
  taskDir: string,
  { keys }: Pick<Installation, "keys">,
  warn: (message: string) => void,
): () => ReceiptChain {
  const { id: taskId, workspaceId } = readTask(taskDir);
  const reported = new Set<string>();
  return () => {
    const { recorded, heads: anchors } = recordedReceipts(taskDir);
    const task = { taskId, workspaceId };
    const { chain } = judgeReceipts({
      ...{ dir: receiptsFolder(taskDir), task, recorded },
      ...{ keys, anchors },
    });
    const news = problemsOf(chain).filter((problem) => !reported.has(problem));
    for (const problem of news) reported.add(problem);
    for (const message of chainWarnings(news)) warn(message);
    return chain;
  };
}
