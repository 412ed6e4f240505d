import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder } from "../../test/stored-task.ts";
import { snapshotFiles } from "./snapshot-files.ts";

const ABSENT = { size: 0, modTime: "", sha256: "", exists: false };

// SPEC.md, statements 110, 212.
test("a missing file does not exist, and is no error", () => {
  expect(snapshotFiles(aFolder(), ["gone.ts"])).toEqual([{ path: "gone.ts", ...ABSENT }]);
});

// SPEC.md, statements 111, 212.
test("a present file has its size, its time in RFC 3339 and 16 digits of its hash", () => {
  const dir = aFolder();
  mkdirSync(join(dir, "src"));
  writeFileSync(join(dir, "src/a.ts"), "one\n");
  utimesSync(join(dir, "src/a.ts"), 1_700_000_000.5, 1_700_000_000.5);
  expect(snapshotFiles(dir, ["src/a.ts"])).toEqual([
    {
      path: "src/a.ts",
      size: 4,
      modTime: "2023-11-14T22:13:20.500Z",
      sha256: createHash("sha256").update("one\n").digest("hex").slice(0, 16),
      exists: true,
    },
  ]);
});

test("paths are relative to the work tree, not to where the process is", () => {
  const dir = aFolder();
  writeFileSync(join(dir, "package.json"), "{}");
  expect(snapshotFiles(dir, ["package.json"])[0]?.size).toBe(2);
});

test("a path that leaves the work tree, or goes through a link, does not exist", () => {
  const dir = aFolder();
  const outside = join(aFolder(), "secret");
  writeFileSync(outside, "secret");
  mkdirSync(join(dir, "work"));
  symlinkSync(join(outside, ".."), join(dir, "work/linked"));
  writeFileSync(join(dir, "inside"), "x");
  writeFileSync(join(dir, "work/file"), "x");
  const paths = [
    outside,
    "../inside",
    "a/../../inside",
    "linked/secret",
    "file/below",
    "./file",
    "",
    "nul\0",
    "x".repeat(300),
  ];
  const found = snapshotFiles(join(dir, "work"), paths);
  expect(found).toEqual(paths.map((path) => ({ path, ...ABSENT })));
});

test("a link, a FIFO and a folder are seen but neither followed nor read", () => {
  const dir = aFolder();
  writeFileSync(join(dir, "target"), "target");
  symlinkSync("target", join(dir, "link"));
  symlinkSync("gone", join(dir, "dangling"));
  execFileSync("mkfifo", [join(dir, "fifo")]);
  mkdirSync(join(dir, "folder"));
  for (const seen of snapshotFiles(dir, ["link", "dangling", "fifo", "folder"])) {
    expect(seen).toMatchObject({ exists: true, sha256: "" });
  }
});

test("a file that is too large to read is seen with its size, and those after it are read", () => {
  const dir = aFolder();
  for (const name of ["a", "huge", "b", "c"]) writeFileSync(join(dir, name), "12345");
  truncateSync(join(dir, "huge"), 2 ** 40);
  const found = snapshotFiles(dir, ["a", "huge", "b", "c"], { maxBytes: 12 });
  expect(found.map(({ size }) => size)).toEqual([5, 2 ** 40, 5, 5]);
  expect(found.map(({ sha256 }) => sha256.length)).toEqual([16, 0, 16, 0]);
});

test.skipIf(process.geteuid?.() === 0)("a file that may not be read is seen without a hash", () => {
  const dir = aFolder();
  writeFileSync(join(dir, "private"), "x");
  chmodSync(join(dir, "private"), 0);
  expect(snapshotFiles(dir, ["private"])[0]).toMatchObject({ exists: true, size: 1, sha256: "" });
});

test("a file whose time cannot be read is seen without one", () => {
  const dir = aFolder();
  writeFileSync(join(dir, "early"), "");
  execFileSync("touch", ["-d", "1960-01-01", join(dir, "early")]);
  expect(snapshotFiles(dir, ["early"])[0]).toMatchObject({ exists: true, modTime: "" });
});

test("each path is there once", () => {
  expect(snapshotFiles(aFolder(), ["a", "b", "a"]).map(({ path }) => path)).toEqual(["a", "b"]);
});
