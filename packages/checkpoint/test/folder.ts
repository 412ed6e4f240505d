import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Gives new folders, removed with all that is in them when the file's tests are done. */
export function temporaryFolders(): () => string {
  const root = mkdtempSync(join(tmpdir(), "quasar-checkpoint-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let count = 0;
  return () => {
    const folder = join(root, `${++count}`, "store");
    mkdirSync(join(folder, ".."));
    return folder;
  };
}
