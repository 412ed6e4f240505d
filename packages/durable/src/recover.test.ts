import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recoverDirectory } from "./recover.ts";

test("what is temporary goes for files that are acted on, and for those to be swept, and for no others", () => {
  const dir = mkdtempSync(join(tmpdir(), "durable-recover-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const temporary = (name: string): string => `.${name}.0123456789abcdef.tmp`;
  for (const name of ["acted", "swept", "other"]) {
    writeFileSync(join(dir, name), "x");
    writeFileSync(join(dir, temporary(name)), "half");
  }
  const sweep = (name: string): boolean => name === "swept";
  recoverDirectory(dir, { accept: (name) => name === "acted", sweep });
  expect(readdirSync(dir).toSorted()).toEqual([temporary("other"), "acted", "other", "swept"]);
});
