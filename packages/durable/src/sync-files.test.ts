import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { syncFiles, syncNames } from "./sync-files.ts";

/** The file system of this machine, and what was synced in it. */
function recorded(root: string): { fs: FileSystem; synced: readonly string[] } {
  const open = new Map<number, string>();
  const synced: string[] = [];
  const fs: FileSystem = {
    ...nodeFileSystem,
    open(path, flags, mode) {
      const fd = nodeFileSystem.open(path, flags, mode);
      open.set(fd, relative(root, path));
      return fd;
    },
    fsync(fd) {
      synced.push(open.get(fd) ?? "?");
      nodeFileSystem.fsync(fd);
    },
  };
  return { fs, synced };
}

function aTree(): string {
  const root = mkdtempSync(join(tmpdir(), "quasar-sync-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "a", "b"), { recursive: true });
  for (const path of ["top", "a/one", "a/b/two"]) writeFileSync(join(root, path), path);
  return root;
}

test.for<[paths: readonly string[], synced: readonly string[]]>([
  [["top"], ["top", ""]],
  [["a/b/two"], ["a/b/two", "a/b", "a", ""]],
  [
    ["a/one", "a/b/two"],
    ["a/one", "a/b/two", "a/b", "a", ""],
  ],
  [["a/gone"], ["a", ""]],
  [["gone/with/all"], [""]],
  [[], []],
])("makes %j durable, then the names up to the root", ([paths, expected]) => {
  const root = aTree();
  const { fs, synced } = recorded(root);
  syncFiles(root, paths, { fs });
  expect(synced).toEqual(expected);
});

test("makes names durable without what files of other writers hold", () => {
  const root = aTree();
  const { fs, synced } = recorded(root);
  syncNames(root, ["a/b/two", "a/gone"], { fs });
  expect(synced).toEqual(["a/b", "a", ""]);
});

test("neither follows a link nor waits for what is no file", () => {
  const root = aTree();
  symlinkSync("top", join(root, "link"));
  symlinkSync("/nowhere", join(root, "broken"));
  const { fs, synced } = recorded(root);
  syncFiles(root, ["link", "broken"], { fs });
  expect(synced).toEqual([""]);
});

test("a sync that fails is an error, and no file stays open", () => {
  const root = aTree();
  let open = 0;
  const fs: FileSystem = {
    ...nodeFileSystem,
    open: (...args) => {
      open += 1;
      return nodeFileSystem.open(...args);
    },
    close: (fd) => {
      open -= 1;
      nodeFileSystem.close(fd);
    },
    fsync() {
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    },
  };
  expect(() => syncFiles(root, ["top"], { fs })).toThrow("EIO");
  expect(open).toBe(0);
});
