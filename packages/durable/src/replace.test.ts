import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeFileSystem } from "./file-system.ts";
import { loadFile } from "./load.ts";
import { removeFile } from "./remove.ts";
import { replaceFile } from "./replace.ts";
import { quarantine } from "./quarantine.ts";
import { failing } from "./testing.ts";

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
  const aside = quarantine(path, { now: new Date("2026-11-20T10:11:12.345Z") });
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

test("flushes twice, the file and its folder, from the second save of a process on", () => {
  const path = join(dir, "file.toml");
  const fs = failing(nodeFileSystem);
  replaceFile(path, text("v1"), { fs });
  for (const version of ["v2", "v3", "v4"]) {
    const before = fs.calls.length;
    replaceFile(path, text(version), { fs });
    expect(fs.calls.slice(before).filter((call) => call === "fsync")).toHaveLength(2);
  }
});

test("continues from a file that another tool put in its place", () => {
  const path = join(dir, "file.toml");
  for (const version of ["v1", "v2"]) replaceFile(path, text(version));
  rmSync(path);
  writeFileSync(path, "v3");
  replaceFile(path, text("v4"));
  writeFileSync(path, "damaged");
  expect(load(path)).toMatchObject({ value: "v3", source: "previous" });
});

test("keeps one name only where no previous generation is wanted", () => {
  const path = join(dir, "file.toml");
  for (const version of ["v1", "v2"]) replaceFile(path, text(version), { keepPrevious: false });
  expect(load(path)).toMatchObject({ value: "v2", source: "current" });
  expect(readdirSync(dir)).toEqual(["file.toml"]);
});

test("takes the newest generation where the file itself is missing, and puts it back", () => {
  const path = join(dir, "file.toml");
  for (const version of ["v1", "v2"]) replaceFile(path, text(version));
  rmSync(path);
  const problems: unknown = [expect.objectContaining({ code: "ERR_MISSING" })];
  expect(load(path)).toMatchObject({ value: "v2", source: "previous", problems });
  expect(quarantine(path, { now: new Date(0) })).toBeUndefined();
  expect(load(path)).toMatchObject({ value: "v2", source: "current" });
});

test("a file whose first saves come while it is searched for is not taken for a lost one", () => {
  const path = join(dir, "file.toml");
  const late = Object.assign(Object.create(nodeFileSystem) as typeof nodeFileSystem, {
    readdir(folder: string) {
      for (const version of ["v1", "v2"]) replaceFile(path, text(version));
      return nodeFileSystem.readdir(folder);
    },
  });
  const loaded = loadFile(path, parse, { maxBytes: 100, fs: late });
  expect(loaded).toMatchObject({ value: "v2", source: "current", problems: [] });
});

test("never sets a file aside over another", () => {
  const path = join(dir, "file.toml");
  const now = new Date("2026-11-20T10:11:12Z");
  const names = ["damaged 1", "damaged 2"].map((content) => {
    writeFileSync(path, content);
    return quarantine(path, { now });
  });
  const aside = `${path}.damaged-20261120T101112Z`;
  expect(names).toEqual([aside, `${aside}-2`]);
  expect(names.map((name) => readFileSync(name ?? "", "utf8"))).toEqual(["damaged 1", "damaged 2"]);
});

test("does not fall back to an older state where what parse reads cannot be read for now", () => {
  const path = join(dir, "file.toml");
  for (const version of ["v1", "v2"]) replaceFile(path, text(version));
  const failsAtV2 = (code: string) => () =>
    loadFile(
      path,
      (bytes) => {
        const value = parse(bytes);
        if (value === "v2") throw Object.assign(new Error(code), { code });
        return value;
      },
      { maxBytes: 100 },
    );
  for (const code of ["EMFILE", "EACCES", "ENOMEM"]) {
    expect(failsAtV2(code)).toThrow(expect.objectContaining({ code }));
  }
  for (const code of ["EIO", "ERR_DAMAGED"]) {
    expect(failsAtV2(code)()).toMatchObject({ value: "v1", source: "previous" });
  }
});

test("does not fall back to an older state where a file cannot be read for now", () => {
  const path = join(dir, "file.toml");
  for (const version of ["v1", "v2"]) replaceFile(path, text(version));
  const fs = failing(nodeFileSystem, { at: 1, errno: "EMFILE" });
  const act = (): unknown => loadFile(path, parse, { maxBytes: 100, fs });
  expect(act).toThrow(expect.objectContaining({ code: "EMFILE" }));
});
