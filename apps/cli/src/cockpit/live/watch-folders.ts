import { type FSWatcher, watch } from "node:fs";

/** Tells when something in folders has changed. Where a system does not say so, one has to look anyway. */
export interface FolderWatch {
  /** Watches these from now on, and no others. */
  set(folders: readonly string[]): void;
  close(): void;
}

export function watchFolders(onChange: () => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>();

  function end(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  function begin(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, onChange);
      watcher.on("error", () => end(folder));
      watchers.set(folder, watcher);
    } catch {
      // It is not there yet, or the system has no watchers left: the next call tries again.
    }
  }

  return {
    set(folders) {
      const wanted = new Set(folders);
      for (const folder of [...watchers.keys()]) if (!wanted.has(folder)) end(folder);
      for (const folder of wanted) if (!watchers.has(folder)) begin(folder);
    },
    close() {
      for (const folder of [...watchers.keys()]) end(folder);
    },
  };
}
