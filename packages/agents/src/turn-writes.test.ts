import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aDirectory } from "../test/request.ts";
import { draft, placeAfter } from "./turn-writes.ts";

test("a record is there once what comes before it is done, and nothing else is", () => {
  const dir = aDirectory();
  const path = join(dir, "1.exit");
  placeAfter(path, draft(path, "ended"), () => expect(readdirSync(dir)).not.toContain("1.exit"));
  expect(readdirSync(dir)).toEqual(["1.exit"]);
  expect(readFileSync(path, "utf8")).toBe("ended");
});

test("where what comes before a record fails, nothing of the record stays", () => {
  const dir = aDirectory();
  const path = join(dir, "1.exit");
  const fail = (): never => {
    throw new Error("the disk is full");
  };
  expect(() => placeAfter(path, draft(path, "ended"), fail)).toThrow("the disk is full");
  expect(readdirSync(dir)).toEqual([]);
});
