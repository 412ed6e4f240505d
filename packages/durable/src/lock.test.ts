import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquireLock } from "./lock.ts";
import { currentOwner } from "./owner.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "durable-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

test("excludes a second holder, who learns of the first, until it is released", () => {
  const path = join(dir, "lock");
  const lock = acquireLock(path);
  const second = () => acquireLock(path);
  const owner = currentOwner();
  expect(second).toThrow(expect.objectContaining({ code: "ERR_LOCKED", owner }));
  expect(readdirSync(dir).toSorted()).toEqual(["lock", "lock.owner.json"]);
  lock.release();
  lock.release();
  second().release();
  expect(readdirSync(dir)).toEqual(["lock"]);
});

test("refuses a link where the lock should be", () => {
  symlinkSync(join(dir, "victim"), join(dir, "lock"));
  expect(() => acquireLock(join(dir, "lock"))).toThrow(
    expect.objectContaining({ code: "ERR_NOT_REGULAR" }),
  );
});
