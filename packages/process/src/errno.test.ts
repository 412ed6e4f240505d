import { constants } from "node:os";
import { expect, test } from "vitest";
import { isFullDisk, named, withName } from "./errno.ts";

/** As Node 24 throws a used-up quota. */
function unnamed(errno: number, more: object = {}): NodeJS.ErrnoException {
  const said = `Unknown system error ${errno}`;
  const error = new Error(`${said}: ${said}, write '/d/f'`);
  return Object.assign(error, { errno, code: said, syscall: "write", ...more });
}

test.for([
  ["EDQUOT", "disk quota exceeded"],
  ["ESTALE", "stale file handle"],
] as const)("an error that Node calls unknown is %s", ([code, words]) => {
  const error = unnamed(-constants.errno[code], { path: "/d/f" });
  expect(withName(error)).toBe(error);
  expect(error).toMatchObject({ code, message: `${code}: ${words}, write '/d/f'`, path: "/d/f" });
  expect(error.stack).toContain(`${code}: ${words}`);
  expect(withName(error).message).toBe(`${code}: ${words}, write '/d/f'`);
});

test("other errors stay as they are", () => {
  const known = Object.assign(new Error("ENOENT: no such file"), { errno: -2, code: "ENOENT" });
  for (const error of [
    known,
    new Error("Unknown system error -122"),
    unnamed(-9999),
    "text",
    null,
  ]) {
    const before = error instanceof Error ? error.message : error;
    const after = withName(error);
    expect(after instanceof Error ? after.message : after).toBe(before);
  }
});

test("an error that names a path, or is none of the system, keeps what it says", () => {
  const throwing = (error: Error) => () =>
    named(() => {
      throw error;
    }, "/other");
  const unknown = unnamed(-constants.errno.EDQUOT, { path: "/d/f" });
  expect(throwing(unknown)).toThrow(expect.objectContaining({ path: "/d/f" }));
  expect(throwing(new Error("ours"))).toThrow(expect.not.objectContaining({ path: "/other" }));
});

test("a used-up quota is a full disk, and named by whoever has asked the system", () => {
  const throws = (): never => {
    throw unnamed(-constants.errno.EDQUOT);
  };
  expect(isFullDisk(unnamed(-constants.errno.EDQUOT))).toBe(true);
  expect(isFullDisk(unnamed(-constants.errno.ESTALE))).toBe(false);
  expect(() => named(throws)).toThrow("EDQUOT: disk quota exceeded, write");
  expect(() => named(throws, "/d/f")).toThrow(expect.objectContaining({ path: "/d/f" }));
});
