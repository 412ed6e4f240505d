import { readTask } from "@quasar/tasks";
import { judgeReceipts, type ReceiptChain, taskReceipts } from "@quasar/tasks/receipts";
import type { Installation } from "./installation.ts";
import { brokenBy, chainWarnings } from "./output/chain-lines.ts";

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
    const task = { taskId, workspaceId };
    const { chain } = judgeReceipts({ ...taskReceipts(taskDir), task, keys });
    const news = brokenBy(chain).filter((problem) => !reported.has(problem));
    for (const problem of news) reported.add(problem);
    for (const message of chainWarnings(news)) warn(message);
    return chain;
  };
}
