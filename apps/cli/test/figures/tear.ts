import { readFileSync, truncateSync } from "node:fs";

/** Takes off the end of a journal, as a power cut may: half of its last record. */
export function tear(path: string): void {
  const text = readFileSync(path, "utf8").trimEnd();
  const from = text.lastIndexOf("\n") + 1;
  const last = Buffer.byteLength(text.slice(from));
  truncateSync(path, Buffer.byteLength(text.slice(0, from)) + Math.floor(last / 2));
}
