import { mkdtempSync } from "node:fs";
import { join } from "node:path";

/** A new folder that is there until all tests of the package have run: for what its test files share. */
export function folderOfRun(): string {
  const root = process.env["QUASAR_TEST_FOLDER"];
  if (root === undefined) throw new Error("the tests are not run by @quasar/vitest");
  return mkdtempSync(join(root, "f-"));
}
