import { mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import { TASK_FILES } from "@quasar/hookfile";

/** Milliseconds in which several notes are one. */
const TOGETHER = 50;

/**
 * Watches a task's inbox. Where the system has no watch to give, nothing is told: the looks at the work
 * tree find commits by themselves.
 */
export function onNote(taskDir: string, listener: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  try {
    const inbox = join(taskDir, TASK_FILES.inbox);
    mkdirSync(inbox, { recursive: true, mode: 0o700 });
    const watcher = watch(inbox, { persistent: false }, (_event, name) => {
      if (name !== null && !name.endsWith(".json")) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        listener();
      }, TOGETHER);
    });
    watcher.on("error", () => watcher.close());
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch {
    return () => {}; // no watch is left on this system, or the inbox is no folder
  }
}
