import { dirname, isAbsolute } from "node:path";
import { isFullDisk } from "@quasar/process/files";
import type { Ending } from "./ending.ts";
import { ControlsChanged, controlsEnding } from "./repository/controls-changed.ts";

/** As git says it, whose words are English here. */
const SAID = /No space left on device|Out of diskspace|Disk quota exceeded/iu;

/** How a run ends because of an error: as given, or by a full disk or changed settings, where the error comes of that. */
export function failedBy(error: unknown, { outcome, message }: Ending): Ending {
  if (error instanceof ControlsChanged) return controlsEnding(error.message);
  const fullDisk = fullDiskOf(error);
  if (fullDisk === undefined) return { outcome, message };
  return { outcome: "storage", message: `no space is left on the disk: ${message}`, fullDisk };
}

/** The folder whose disk has no room; `""`: the error does not say which; `undefined`: another error. */
export function fullDiskOf(error: unknown): string | undefined {
  let isFull = false;
  for (let each = error; each instanceof Error; each = each.cause) {
    const { path, message } = each as NodeJS.ErrnoException;
    isFull ||= isFullDisk(each) || SAID.test(message);
    if (isFull && path !== undefined && isAbsolute(path)) return dirname(path);
  }
  return isFull ? "" : undefined;
}
