import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { makeFolders } from "./make-folders.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "quasar-make-folders-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("makes a folder and those above it for their owner alone, and leaves one that is there", () => {
  const path = join(dir, "a/b/c");
  makeFolders(path);
  expect([modeOf(path), modeOf(join(dir, "a"))]).toEqual([0o700, 0o700]);
  makeFolders(join(dir, "a/d"), 0o755);
  makeFolders(path, 0o755);
  expect([modeOf(join(dir, "a/d")), modeOf(path)]).toEqual([0o755, 0o700]);
});

test("takes a link to a folder for one, and no file", () => {
  mkdirSync(join(dir, "real"));
  symlinkSync("real", join(dir, "link"));
  makeFolders(join(dir, "link/below"));
  expect(modeOf(join(dir, "real/below"))).toBe(0o700);
  writeFileSync(join(dir, "file"), "");
  for (const name of ["file", "file/below"]) {
    expect(() => makeFolders(join(dir, name))).toThrow(
      `EEXIST: file already exists, mkdir '${dir}/file'`,
    );
  }
});

test("comes back where no folder can be made at all", () => {
  expect(() => makeFolders("/proc/none/of/ours")).toThrow("mkdir '/proc/none'");
});
