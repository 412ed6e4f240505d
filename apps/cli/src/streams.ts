import type { Streams } from "./output/reporter.ts";

/** The process's own streams. */
export const STREAMS: Streams = { stdout: process.stdout, stderr: process.stderr };
