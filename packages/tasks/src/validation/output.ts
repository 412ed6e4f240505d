import { codeOf } from "../errors.ts";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** What is read more than is wanted, so that a secret that is cut in two does not come through. */
const MARGIN = 8192;

/**
 * The end of what a command has printed, what is on standard error last, without its secrets.
 *
 * @param paths - Of its outputs; one that is not there is empty.
 * @param length - Characters of each, at most.
 */
export function tailOf(
  paths: readonly string[],
  length: number,
  redact: (text: string) => string,
): string {
  const tails = paths.map((path) => redact(endOf(path, 4 * length + MARGIN)).slice(-length));
  return tails
    .filter((tail) => tail.trim() !== "")
    .join("\n")
    .slice(-length)
    .toWellFormed();
}

function endOf(path: string, bytes: number): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return "";
    const chunk = Buffer.alloc(Math.min(bytes, stat.size));
    const count = readSync(file, chunk, 0, chunk.length, stat.size - chunk.length);
    return chunk.subarray(0, count).toString("utf8");
  } finally {
    closeSync(file);
  }
}
