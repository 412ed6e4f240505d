import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeptEvent } from "@quasar/nebula/internal";
import { createKeyManager, receiptPaths, signReceipt } from "@quasar/receipts";
import { expect, onTestFinished, test } from "vitest";
import { failedVerifications, outputFiles } from "./output-files.ts";

const [ONE, TWO, OTHER] = ["1".repeat(40), "2".repeat(40), "3".repeat(40)];
const at = (second: number): string => new Date(second * 1000).toISOString();
const LAST = "[verify] npm test exit 1: case 1\n1 failed";

/** Receipts of a command that has failed with the same last line each time, by when and of which tree. */
function receipts(runs: Readonly<Record<string, readonly [second: number, tree: string]>>) {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "outputs-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const keys = createKeyManager({ dir: join(root, "keys") });
  for (const [receiptId, [second, tree]] of Object.entries(runs)) {
    const { stdout, stderr } = receiptPaths(root, receiptId);
    writeFileSync(stdout, `${receiptId}\n1 failed\n`);
    writeFileSync(stderr, "");
    const what = { workspaceId: "nebula", taskId: "n", stepName: "verify", attempt: 1 };
    const ran = { command: "npm test", argv: ["npm", "test"], exitCode: 1, signal: undefined };
    const when = { startedAt: at(second), completedAt: at(second), durationMs: 0 };
    const git = { commitBefore: tree, treeBefore: tree, commitAfter: tree, treeAfter: tree };
    const statement = { receiptId, ...what, ...ran, ...when, configSha256: "0".repeat(64), ...git };
    signReceipt(statement, { keys, dir: root });
  }
  return { root, path: (id: string) => receiptPaths(root, id).stdout };
}

const failed = (second: number, tree: string): KeptEvent => ({
  ...{ type: "verification", phase: "a", tree, outcome: "failed", at: at(second) },
});
const rework = (second: number, attempt: number): KeptEvent => ({
  ...{ type: "rework", phase: "a", attempt, findings: [LAST], at: at(second) },
});

test("each failure has the output of its own verification, whatever they have in common", () => {
  const { root, path } = receipts({
    ...{ first: [1, ONE], repeated: [2, ONE], foreign: [3, OTHER], second: [5, TWO] },
    ...{ third: [8, TWO], other: [9, ONE] },
  });
  const { before, last } = failedVerifications([
    ...[failed(3, ONE), rework(4, 2), failed(6, TWO), rework(7, 3), failed(8, TWO)],
  ]);
  const texts = new Map([
    [LAST, last],
    [`attempt 2: ${LAST}`, before.get(2)],
    [`attempt 3: ${LAST}`, before.get(3)],
    [`unknown: ${LAST}`, undefined],
  ]);
  expect(Object.fromEntries(outputFiles(root, texts))).toEqual({
    [LAST]: path("third"),
    [`attempt 2: ${LAST}`]: path("repeated"),
    [`attempt 3: ${LAST}`]: path("second"),
    [`unknown: ${LAST}`]: path("other"),
  });
});

test("an attempt that began after a conflict has no verification", () => {
  const passed: KeptEvent = { ...failed(5, TWO), outcome: "passed" } as KeptEvent;
  const { before, last } = failedVerifications([
    ...[failed(1, ONE), rework(2, 2), rework(3, 3), failed(4, ONE), passed],
  ]);
  expect([...before.keys(), last]).toEqual([2, undefined]);
});
