import { type FSWatcher, watch } from "node:fs";

/** How often it is looked without a sign: not every file system gives one, and a folder that was removed gives none. */
const LOOK_MS = 1000;

/**
 * Calls `look` whenever something in a folder, or the folder itself, may have come or gone: at once where the system
 * tells of it, else within a second. It keeps no process alive.
 *
 * @returns Ends it.
 */
export function watchFolder(path: string, look: () => void): () => void {
  let watcher: FSWatcher | undefined;
  const forget = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const arm = (): void => {
    try {
      watcher ??= watch(path, { persistent: false }, (kind) => {
        if (kind !== "rename") return;
        // It may have been the folder itself: then it is another one that is to be watched.
        forget();
        look();
        arm();
      }).on("error", forget);
    } catch {
      watcher = undefined;
    }
  };
  arm();
  const timer = setInterval(() => {
    look();
    arm();
  }, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    forget();
  };
}
