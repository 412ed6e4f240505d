import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folderInside } from "./inside.ts";

function tree(): string {
  const outside = mkdtempSync(join(realpathSync(tmpdir()), "quasar-inside-"));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const root = join(outside, "tree");
  for (const name of ["a/b", ".git/x", "..c"]) mkdirSync(join(root, name), { recursive: true });
  symlinkSync(outside, join(root, "out"));
  symlinkSync(join(root, "a"), join(root, "in"));
  return root;
}

test.for([
  ["a/b", "a/b"],
  ["./a/../a/b/", "a/b"],
  ["in/b", "a/b"],
  ["..c", "..c"],
  [".", ""],
])("%s is a folder of the tree", ([given = "", real = ""]) => {
  const root = tree();
  expect(folderInside(root, given)).toBe(join(root, real));
});

test.for(["..", "a/../..", "/etc", "out", "nowhere", ".git", ".git/x", "a\0b"])(
  "%j is none",
  (given) => {
    expect(() => folderInside(tree(), given)).toThrow(
      expect.objectContaining({ code: "ERR_ARGUMENT" }),
    );
  },
);
