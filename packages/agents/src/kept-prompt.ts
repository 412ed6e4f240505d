import { closeSync, readSync, rmSync, writeFileSync } from "node:fs";
import { openTurnFile, type TurnFiles } from "./turn-files.ts";

/**
 * Keeps what the agent of a turn was asked, for people who read it later. No program needs it: where it cannot be
 * written, it is not there.
 *
 * @param prompt - Without secrets.
 */
export function keepPrompt(files: TurnFiles, prompt: string): void {
  const path = files.path("prompt");
  try {
    // A number that a turn without a beginning has left may have one.
    rmSync(path, { force: true });
    writeFileSync(path, prompt, { flag: "wx", mode: 0o600 });
  } catch {
    removeHalf(path);
  }
}

function removeHalf(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A disk that takes nothing more may not give anything back either.
  }
}

/** The most that is read of a prompt, in bytes. */
const MOST_BYTES = 64 * 1024;

/** What the agent of a turn was asked, or its beginning; `""` where that is not kept. */
export function promptIn(files: TurnFiles): string {
  const fd = openTurnFile(files.path("prompt"));
  if (fd === undefined) return "";
  try {
    const bytes = Buffer.alloc(MOST_BYTES);
    const size = readSync(fd, bytes, 0, bytes.length, 0);
    // What is cut may end within a character.
    return new TextDecoder().decode(bytes.subarray(0, size), { stream: size === bytes.length });
  } finally {
    closeSync(fd);
  }
}
