import { expect, test } from "vitest";
import { type Call, isMac, macOfAnswer, macOfCall, requireKey } from "./mac.ts";

const KEY = "0123456789abcdef".repeat(4);
const CALL: Call = { key: "aaaaaaaaaa", handler: "record", id: "1" };
const BODY = Buffer.from("body");

test("a call's code is of its key, handler, id and body, and of no others", () => {
  const macs = [
    macOfCall(KEY, CALL, BODY),
    macOfCall(KEY, { ...CALL, key: "bbbbbbbbbb" }, BODY),
    macOfCall(KEY, { ...CALL, handler: "resolve" }, BODY),
    macOfCall(KEY, { ...CALL, id: "2" }, BODY),
    macOfCall(KEY, { ...CALL, handler: "recor", id: "d1" }, BODY),
    macOfCall(KEY, CALL, Buffer.from("other")),
    macOfCall("f".repeat(64), CALL, BODY),
    macOfAnswer(KEY, CALL, BODY),
    macOfAnswer(KEY, { id: "2" }, BODY),
  ];
  expect(new Set(macs).size).toBe(macs.length);
  expect(isMac(macs[0] ?? "", macOfCall(KEY, CALL, BODY))).toBe(true);
  expect(isMac(macs[1] ?? "", macOfCall(KEY, CALL, BODY))).toBe(false);
  expect(isMac("", macOfCall(KEY, CALL, BODY))).toBe(false);
});

test.for(["", "short", "G".repeat(64), "A".repeat(64)])("%j is no key", (key) => {
  expect(() => requireKey(key)).toThrow(expect.objectContaining({ code: "ERR_USAGE" }));
});
