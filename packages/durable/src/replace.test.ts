import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadFile } from "./load.ts";
import { removeFile } from "./remove.ts";
import { replaceFile } from "./replace.ts";
import { setAside } from "./set-aside.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "durable-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const text = (value: string): Uint8Array => Buffer.from(value);
const parse = (bytes: Uint8Array): string => {
  const value = Buffer.from(bytes).toString();
  if (!value.startsWith("v")) throw new Error(`not a version: ${value}`);
  return value;
};
const load = (path: string) => loadFile(path, parse, { maxBytes: 100 });

test("keeps the newest bytes, and one generation before them", () => {
  const path = join(dir, "new", "file.toml");
  for (const version of ["v1", "v2", "v3"]) replaceFile(path, text(version));
  expect(load(path)).toMatchObject({ value: "v3", source: "current", problems: [] });
  expect(readdirSync(join(dir, "new")).toSorted()).toEqual([
    "file.toml",
    "file.toml.2.prev",
    "file.toml.3.prev",
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, "new")).mode & 0o777).toBe(0o700);
});

test("loads the generation before when the newest is damaged, and says so", () => {
  const path = join(dir, "file.toml");
  for (const version of ["v1", "v2"]) replaceFile(path, text(version));
  writeFileSync(path, "damaged");
  const loaded = load(path);
  expect(loaded).toMatchObject({ value: "v1", source: "previous" });
  expect(loaded?.problems[0]?.message).toBe("not a version: damaged");
});

test("sets a damaged file aside, and makes the generation before it the file", () => {
  const path = join(dir, "file.toml");
  for (const version of ["v1", "v2"]) replaceFile(path, text(version));
  writeFileSync(path, "damaged");
  const aside = setAside(path, { now: new Date("2026-11-20T10:11:12.345Z") });
  expect(aside).toBe(`${path}.damaged-20261120T101112Z`);
  expect(readFileSync(aside ?? "", "utf8")).toBe("damaged");
  expect(load(path)).toMatchObject({ value: "v1", source: "current", problems: [] });
});

test("leaves nothing of a file that was removed", () => {
  const path = join(dir, "file.toml");
  for (const version of ["v1", "v2"]) replaceFile(path, text(version));
  removeFile(path);
  removeFile(path);
  expect(load(path)).toBeUndefined();
  expect(readdirSync(dir)).toEqual([]);
});
