import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { replaceFile } from "@quasar/durable";

/** Bytes that are kept of the beginning and of the end of what a command has printed. */
const KEPT_BYTES = 512 * 1024;

/** Keeps of a long output its beginning and its end, and how much was between. The command has ended. */
export function boundOutput(path: string): void {
  const file = openSync(path, "r");
  let parts: readonly Uint8Array[];
  try {
    const { size } = fstatSync(file);
    const left = size - 2 * KEPT_BYTES;
    if (left <= 0) return;
    const part = (from: number): Uint8Array => {
      const bytes = Buffer.alloc(KEPT_BYTES);
      return bytes.subarray(0, readSync(file, bytes, 0, KEPT_BYTES, from));
    };
    const gap = `\n… ${left} bytes are left out …\n`;
    parts = [part(0), Buffer.from(gap), part(size - KEPT_BYTES)];
  } finally {
    closeSync(file);
  }
  replaceFile(path, Buffer.concat(parts), { keepPrevious: false });
}
