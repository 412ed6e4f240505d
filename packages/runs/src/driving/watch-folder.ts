import { type FSWatcher, watch } from "node:fs";
import { eachSecond } from "@quasar/process";

/**
 * Calls `look` whenever something in a folder, or the folder itself, may have come or gone: at once where the system
 * tells of it, else within a second: not every file system does, and a folder that was removed gives no sign. It
 * keeps no process alive.
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
  const rearm = (): void => {
    look();
    arm();
  };
  const endLooks = eachSecond(rearm, { keepsAlive: false });
  return () => {
    endLooks();
    forget();
  };
}
