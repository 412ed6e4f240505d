import { expect, test } from "vitest";
import { durationText } from "./duration.ts";
import {
  decodeReceipt,
  encodeReceipt,
  formatReceiptsTrailer,
  newReceiptId,
  parseReceiptsTrailer,
  receiptPaths,
  type ValidationReceipt,
} from "./index.ts";

const RECEIPT: ValidationReceipt = {
  receiptId: "rcpt-0123456789abcdef",
  stepName: "validate",
  command: "go test ./... | tee 'ü😀'",
  exitCode: 0,
  startedAt: "2026-01-17T14:42:15.123Z",
  completedAt: "2026-01-17T14:42:27.423Z",
  duration: "12.3s",
  stdoutHash: "a".repeat(64),
  stderrHash: "b".repeat(64),
  keyPath: "m/44'/236'/0'/3'/7'",
  keyId: "0123456789abcdef",
  sigAlg: "ed25519-slip10",
  sigVersion: 2,
  signature: "c".repeat(128),
};

const SEED_JSON = {
  receipt_id: "rcpt-002",
  step_name: "plan",
  command: "magex lint",
  exit_code: -1,
  started_at: "2026-01-17T09:42:15.123456789-05:00",
  completed_at: "2026-01-17T09:42:27-05:00",
  duration: "12.3s",
  stdout_hash: "abc123",
  stderr_hash: "def456",
  signature: "00",
};

// SPEC.md, statements 45.
test("a receipt has the seed's keys and its own, in order", () => {
  const keys = `receipt_id step_name command exit_code started_at completed_at duration
    stdout_hash stderr_hash key_path key_id sig_alg sig_version signature`;
  expect(Object.keys(encodeReceipt(RECEIPT))).toEqual(keys.split(/\s+/));
});

test("what was encoded decodes to the same", () => {
  const text = JSON.stringify(encodeReceipt(RECEIPT));
  expect(decodeReceipt(JSON.parse(text))).toEqual(RECEIPT);
});

test("a receipt of the seed's format gets the fields that it lacks", () => {
  const receipt = decodeReceipt(SEED_JSON);
  expect(receipt).toMatchObject({ keyPath: "", keyId: "", sigVersion: 1, exitCode: -1 });
  expect(encodeReceipt(receipt)).toMatchObject(SEED_JSON);
});

test.for([
  ["no object", undefined, "object"],
  ["an exit code beyond a byte", { exit_code: 256 }, "exit_code"],
  ["a negative exit code", { exit_code: -1 }, "exit_code"],
  ["half an exit code", { exit_code: 0.5 }, "exit_code"],
  ["an exit code that is text", { exit_code: "0" }, "exit_code"],
  ["a day that does not exist", { started_at: "2026-02-30T00:00:00.000Z" }, "started_at"],
  ["a time without milliseconds", { completed_at: "2026-01-17T14:42:27Z" }, "completed_at"],
  ["a short hash", { stdout_hash: "abc123" }, "stdout_hash"],
  ["a hash in capitals", { stderr_hash: "A".repeat(64) }, "stderr_hash"],
  ["another algorithm", { sig_alg: "none" }, "sig_alg"],
  ["a later version", { sig_version: 3 }, "sig_version"],
  ["half a character", { command: "\ud83d" }, "command"],
  ["no id", { receipt_id: "" }, "receipt_id"],
  ["an unknown field", { verified: true }, "verified"],
] as const)("refuses %s, and names the field", ([, change, field]) => {
  const json = change && { ...encodeReceipt(RECEIPT), ...change };
  expect(() => decodeReceipt(json)).toThrow(
    expect.objectContaining({
      code: "ERR_INVALID_RECEIPT",
      message: expect.stringContaining(field),
    }),
  );
});

test("refuses a receipt that lacks any one of its fields", () => {
  const json = encodeReceipt(RECEIPT);
  for (const key of Object.keys(json).filter((key) => key !== "sig_version")) {
    const { [key]: _, ...rest } = json;
    expect(() => decodeReceipt(rest), key).toThrow(`${key} is missing`);
  }
});

test("a prototype key in a file is an unknown field", () => {
  const text = JSON.stringify(encodeReceipt(RECEIPT)).replace("{", '{"__proto__":{"a":1},');
  expect(() => decodeReceipt(JSON.parse(text))).toThrow("__proto__");
});

// SPEC.md, statements 136.
test.for([
  [0, "0s"],
  [1, "1ms"],
  [999, "999ms"],
  [1000, "1s"],
  [12_300, "12.3s"],
  [12_345, "12.345s"],
  [59_999, "59.999s"],
  [60_000, "1m0s"],
  [90_500, "1m30.5s"],
  [3_600_000, "1h0m0s"],
  [90_061_001, "25h1m1.001s"],
] as const)("%d ms are %s for people", ([ms, text]) => {
  expect(durationText(ms)).toBe(text);
});

// SPEC.md, statements 139.
test("ids of receipts are unique and fit for file names", () => {
  const ids = Array.from({ length: 2000 }, newReceiptId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(receiptPaths("dir", id).stdout).toBe(`dir/${id}.out`);
});

test.for([
  "",
  ".",
  "..",
  ".hidden",
  "-rf",
  "a/b",
  "../../x",
  "a\\b",
  "a\0b",
  "a\n",
  "é",
  "con",
  "NUL.txt",
  "a".repeat(101),
])("refuses %j as an id from a file", (id) => {
  expect(() => receiptPaths("dir", id)).toThrow(expect.objectContaining({ code: "ERR_UNSAFE_ID" }));
});

test("a head goes into a commit's trailer and comes back", () => {
  const head = { count: 12, sha256: "d".repeat(64) };
  const trailer = formatReceiptsTrailer(head);
  expect(trailer).toBe(`Quasar-Receipts: 12 ${"d".repeat(64)}`);
  const older = formatReceiptsTrailer({ ...head, count: 3 });
  expect(parseReceiptsTrailer(`Fix\n\n${older}\n${trailer}\nQuasar-Step: validate\n`)).toEqual(
    head,
  );
  for (const bad of [
    "",
    `x ${trailer}`,
    trailer.toUpperCase(),
    `${trailer}0`,
    "Quasar-Receipts: 1",
  ]) {
    expect(parseReceiptsTrailer(bad)).toBeUndefined();
  }
});
