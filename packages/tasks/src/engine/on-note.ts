import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { TASK_FILES } from "@quasar/hookfile/internal";
import { makeFolders } from "@quasar/process/files";

/** Milliseconds in which several notes are one. */
const TOGETHER = 70;

/**
 * Watches a task's inbox. Where the system has no watch to give, the listener is not called: the looks at the work
 * tree find commits by themselves.
 */
export function onNote(taskDir: string, listener: () => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let isDue = false;
  const gather = async (): Promise<void> => {
    isDue = true;
    await setTimeout(TOGETHER, undefined, { signal, ref: false });
    isDue = false;
    listener();
  };
  try {
    const inbox = join(taskDir, TASK_FILES.inbox);
    makeFolders(inbox);
    const watcher = watch(inbox, { persistent: false, signal }, (_event, name) => {
      if (isDue || (name !== null && !name.endsWith(".json"))) return;
      gather().catch(() => {}); // it has ended
    });
    watcher.on("error", () => watcher.close());
    return () => ended.abort();
  } catch {
    return () => {}; // no watch is left on this system, or the inbox is no folder
  }
}
