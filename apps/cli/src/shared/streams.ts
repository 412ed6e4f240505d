import type { Streams } from "./output/reporter.ts";

/** The process's own streams. */
export const STREAMS: Streams = { stdout: process.stdout, stderr: process.stderr };

/** A reader who is gone, a terminal that is closed, a disk that is full of what was told. */
const LOST: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO", "ENOSPC", "EDQUOT"]);

/** For errors of streams: a reader or a terminal that went away is no reason to drop work unsaved. */
export function ignoreLostReader(error: NodeJS.ErrnoException): void {
  if (!LOST.has(error.code)) throw error;
}
