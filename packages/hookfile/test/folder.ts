import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Gives folders that do not exist yet, in one that goes when the tests are done. */
export function temporaryFolders(): () => string {
  const root = mkdtempSync(join(tmpdir(), "hookfile-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let count = 0;
  return () => {
    count += 1;
    return join(root, `${count}`);
  };
}
