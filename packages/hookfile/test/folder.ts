import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * Gives folders that do not exist yet, in one that goes when the tests are done; in memory where there
 * is such a place, as no test here cuts the power of a real disk.
 */
export function temporaryFolders(): () => string {
  const root = mkdtempSync(join(inMemory() ?? tmpdir(), "hookfile-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let count = 0;
  return () => {
    count += 1;
    return join(root, `${count}`);
  };
}

function inMemory(): string | undefined {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return undefined;
  }
}
