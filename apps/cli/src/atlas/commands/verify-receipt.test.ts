import { A_RECEIPT } from "../../../test/atlas/a-hook.ts";
import type { ReceiptStatement, ValidationReceipt, Verdict } from "@quasar/receipts";
import { expect, test } from "vitest";
import { verdictLines } from "./verify-receipt.ts";

const VALID: Verdict = { kind: "valid", coverage: "full", output: "matches" };

const lines = (change: Partial<ValidationReceipt>, verdict: Verdict): readonly string[] =>
  verdictLines({ receipt: { ...A_RECEIPT, ...change }, verdict }, (_style, text) => text);

// SPEC.md, statements 199.
test("a genuine receipt is reported in the seed's words and order", () => {
  expect(lines({}, VALID)).toEqual([
    "Receipt: rcpt-001",
    "Step: analyze",
    "Command: magex lint",
    "Exit Code: 0",
    "Output: MATCHES",
    "Key Path: m/44'/236'/0'/0'/0'",
    "Signature: VALID ✓",
    "",
    "This receipt was signed by your ATLAS installation.",
    "The validation command ran and completed successfully.",
  ]);
});

test("of a command that failed it is not said that it succeeded", () => {
  expect(lines({ exitCode: 3 }, VALID).at(-1)).toBe(
    "The validation command ran and FAILED with exit code 3: this is no pass.",
  );
});

test("of an output that was changed it is not said that the command succeeded", () => {
  const said = lines({}, { ...VALID, output: "modified" });
  expect(said).toContain("Output: MODIFIED");
  expect(said.join("\n")).not.toContain("successfully");
});

test("of an output that was deleted it is said that it was", () => {
  const said = lines({}, { ...VALID, output: "missing" });
  expect(said).toContain("Output: DELETED");
  expect(said.at(-1)).toContain("Its output has been deleted: only the hash of it is left.");
});

test("tree and commit that a command ran on are reported, and a tree that it changed", () => {
  const statement = { commitBefore: "c1", treeBefore: "t1", treeAfter: "t2" } as ReceiptStatement;
  const said = verdictLines({ receipt: A_RECEIPT, verdict: VALID, statement }, (_, text) => text);
  expect(said.slice(5, 7)).toEqual(["Commit: c1", "Tree: t2 (was t1)"]);
});

test.for<readonly [Verdict, string]>([
  [{ kind: "invalid", reason: "exit_code is not what was signed", output: "matches" }, "INVALID ✗"],
  [
    { kind: "unverifiable", reason: "no key", signedBy: "ab", keyIds: ["cd"], output: "matches" },
    "UNVERIFIABLE",
  ],
])("a receipt that is not known to be genuine has no word of success: %j", ([verdict, word]) => {
  const said = lines({}, verdict);
  expect(said).toContain(`Signature: ${word}`);
  expect(said.join("\n")).not.toMatch(/✓|signed by your|successfully/u);
});

test("text of a receipt cannot act on a terminal or begin a line of its own", () => {
  const said = lines({ command: "x\u001b[2J\nSignature: VALID ✓" }, VALID);
  expect(said[2]).toBe("Command: x\\u{1b}[2J Signature: VALID ✓");
});
