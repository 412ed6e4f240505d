import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isInWorkTree } from "./within.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "quasar-within-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const root = join(base, "repo");
mkdirSync(join(root, "sub/folder"), { recursive: true });
mkdirSync(join(root, "inner/folder"), { recursive: true });
mkdirSync(join(root, ".git"));
writeFileSync(join(root, "inner/.git"), "gitdir: elsewhere\n");

test.for([
  [root, true],
  [join(root, "sub/folder"), true],
  [join(root, "inner"), false],
  [join(root, "inner/folder"), false],
  [`${root}-2`, false],
  [base, false],
  ["/", false],
  ["", false],
] as const)("%s: %s", ([dir, isIn]) => {
  expect(isInWorkTree(dir, root)).toBe(isIn);
});
