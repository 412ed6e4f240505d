import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { entryAt } from "./entry-at.ts";

test("nothing is at a path below a file, nor below nothing; of a link the link itself is seen", () => {
  const folder = mkdtempSync(join(tmpdir(), "quasar-entry-"));
  const file = join(folder, "file");
  writeFileSync(file, "");
  symlinkSync("nowhere", join(folder, "link"));
  expect(entryAt(join(file, "below"))).toBeUndefined();
  expect(entryAt(join(folder, "none", "below"))).toBeUndefined();
  expect(entryAt(file)?.isFile()).toBe(true);
  expect(entryAt(join(folder, "link"))?.isSymbolicLink()).toBe(true);
  expect(() => entryAt("long".repeat(2000))).toThrow("ENAMETOOLONG");
});
