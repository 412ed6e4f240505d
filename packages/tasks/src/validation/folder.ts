import { join } from "node:path";
import { TASK_FILES } from "@quasar/hookfile/internal";

/** Where a task keeps its receipts, what its commands printed, and what says that they were started. */
export function receiptsFolder(taskDir: string): string {
  return join(taskDir, TASK_FILES.artifacts, "receipts");
}
