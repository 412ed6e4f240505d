import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRedactionSet } from "./redaction-set.ts";

const TOKEN = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
const TEXT = `key-of-the-tree-1 and token-of-mine-22 and ${TOKEN}`;

function aTree(value: string): string {
  const tree = mkdtempSync(join(tmpdir(), "redaction-"));
  onTestFinished(() => rmSync(tree, { recursive: true }));
  writeFileSync(join(tree, ".env.local"), `MY_KEY=${value}\n`);
  return tree;
}

test("takes out what is known by its form, of the environment and of the work tree's files", () => {
  const tree = aTree("key-of-the-tree-1");
  const { redact } = createRedactionSet({ MY_TOKEN: "token-of-mine-22" }, tree);
  expect(redact(TEXT)).toBe("[redacted] and [redacted] and [redacted]");
  rmSync(join(tree, ".env.local"));
  expect(redact(TEXT)).not.toContain("key-of-the-tree-1");
});

test("has one name for the same secrets, and another one for others", () => {
  const env = { MY_TOKEN: "token-of-mine-22" };
  const { digest } = createRedactionSet(env, aTree("key-of-the-tree-1"));
  expect(digest).toMatch(/^[0-9a-f]{8}$/u);
  expect(createRedactionSet(env, aTree("key-of-the-tree-1")).digest).toBe(digest);
  const others = [
    createRedactionSet(env, aTree("key-of-the-tree-2")),
    createRedactionSet({}, aTree("key-of-the-tree-1")),
    createRedactionSet(env, undefined),
  ];
  expect(new Set([digest, ...others.map((each) => each.digest)]).size).toBe(4);
});
