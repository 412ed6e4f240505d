import { expect, test } from "vitest";
import { diskFinding } from "./disk.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

test.for([
  ["room", 39 * GIB, 5_000_000, "ok", "39 GiB free: work tree, git folder", []],
  [
    "room, on a disk that counts no files",
    39 * GIB,
    undefined,
    "ok",
    "39 GiB free: work tree, git folder",
    [],
  ],
  [
    "little room",
    200 * MIB,
    5_000_000,
    "warning",
    "only 200 MiB free: work tree, git folder",
    ["df -h '/a b'"],
  ],
  [
    "next to no room",
    MIB,
    5_000_000,
    "problem",
    "only 1.0 MiB free: work tree, git folder",
    ["df -h '/a b'"],
  ],
  ["no room", 0, 5_000_000, "problem", "full: work tree, git folder", ["df -h '/a b'"]],
  [
    "few files left",
    39 * GIB,
    9000,
    "warning",
    "only room for 9,000 files: work tree, git folder",
    ["df -i '/a b'"],
  ],
  [
    "no files left",
    39 * GIB,
    0,
    "problem",
    "only room for 0 files: work tree, git folder",
    ["df -i '/a b'"],
  ],
] as const)("a disk with %s", ([, freeBytes, freeFiles, state, message, next]) => {
  const disk = { holds: ["work tree", "git folder"], path: "/a b", freeBytes, freeFiles };
  expect(diskFinding(disk)).toEqual({ check: "disk", state, message, next });
});
