import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import {
  DurableError,
  loadFile,
  readFileHead,
  readPrivateFile,
  readWholeFile,
  recoverDirectory,
  removeFile,
  replaceFile,
  quarantine,
} from "./index.ts";

let dir: string;
let path: string;
let victim: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "durable-"));
  path = join(dir, "file.toml");
  victim = join(dir, "victim");
  writeFileSync(victim, "precious");
});
afterEach(() => rmSync(dir, { recursive: true }));

const BYTES = Buffer.from("new");
const withCode = (code: string): unknown => expect.objectContaining({ name: "DurableError", code });
function attempt(act: () => unknown): string {
  try {
    act();
    return "done";
  } catch (error) {
    return error instanceof DurableError ? error.code : String(error);
  }
}

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

describe.for([
  ["a link", "ERR_NOT_REGULAR", () => symlinkSync(victim, path)],
  ["a link to nothing", "ERR_NOT_REGULAR", () => symlinkSync(join(dir, "nothing"), path)],
  ["a link to an endless device", "ERR_NOT_REGULAR", () => symlinkSync("/dev/zero", path)],
  ["a FIFO", "ERR_NOT_REGULAR", () => execFileSync("mkfifo", [path])],
  ["a folder", "ERR_NOT_REGULAR", () => mkdirSync(path)],
  [
    "a file of 1 GiB",
    "ERR_TOO_LARGE",
    () => {
      writeFileSync(path, "");
      truncateSync(path, 2 ** 30);
    },
  ],
] as const)("%s where the file should be", ([, code, plant]) => {
  test("is refused unread by whatever reads it whole", () => {
    plant();
    const read = vi.fn<FileSystem["read"]>(() => {
      throw new Error("it is read");
    });
    const options = { maxBytes: 100, fs: { ...nodeFileSystem, read } };
    expect(() => readWholeFile(path, options)).toThrow(withCode(code));
    const load = (): unknown => loadFile(path, text, options);
    const cause: unknown = expect.objectContaining({ errors: [withCode(code)] });
    expect(load).toThrow(expect.objectContaining({ code: "ERR_DAMAGED", cause }));
    expect(read).not.toHaveBeenCalled();
  });

  test("never leads a save astray", () => {
    plant();
    const wasFolder = lstatSync(path).isDirectory();
    expect(attempt(() => replaceFile(path, BYTES))).toBe(wasFolder ? "ERR_NOT_DURABLE" : "done");
    expect(lstatSync(path).isFile()).toBe(!wasFolder);
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

test("the head of a large file is read without the rest", () => {
  writeFileSync(path, "head");
  truncateSync(path, 2 ** 30);
  expect(text(readFileHead(path, 4))).toBe("head");
});

test.for([
  ["a link", (name: string) => symlinkSync(victim, name)],
  ["a file", (name: string) => linkSync(victim, name)],
] as const)("%s in place of the temporary file stops a save, and stays", ([, plant]) => {
  const random = (): Uint8Array => new Uint8Array(8);
  plant(join(dir, ".file.toml.0000000000000000.tmp"));
  expect(() => replaceFile(path, BYTES, { random })).toThrow(withCode("ERR_NOT_DURABLE"));
  expect(readFileSync(victim, "utf8")).toBe("precious");
});

describe("a folder that is a link", () => {
  test.for<[string, (file: string) => unknown]>([
    ["save", (file) => replaceFile(file, BYTES)],
    ["load", (file) => loadFile(file, text, { maxBytes: 100 })],
    ["remove", (file) => removeFile(file)],
    ["quarantine", (file) => quarantine(file, { now: new Date() })],
    ["recover", (file) => recoverDirectory(join(file, ".."))],
  ])("is refused by %s", ([, act]) => {
    mkdirSync(join(dir, "elsewhere"));
    symlinkSync(join(dir, "elsewhere"), join(dir, "state"));
    expect(() => act(join(dir, "state", "file"))).toThrow(withCode("ERR_UNSAFE_DIRECTORY"));
    expect(readdirSync(join(dir, "elsewhere"))).toEqual([]);
  });
});

test.for([
  [0o600, "done"],
  [0o400, "done"],
  [0o640, "ERR_UNSAFE_MODE"],
  [0o604, "ERR_UNSAFE_MODE"],
  [0o660, "ERR_UNSAFE_MODE"],
] as const)("reading a key of mode %i ends with %s", ([mode, answer]) => {
  writeFileSync(path, "key");
  chmodSync(path, mode);
  expect(attempt(() => readPrivateFile(path, { maxBytes: 100 }))).toBe(answer);
});

test("recovery removes the temporary files that are ours, and no other file", () => {
  const ours = ".file.toml.0123456789abcdef.tmp";
  const others = [".file.toml.tmp", "file.toml.0123456789abcdef.tmp", ".x.0123.tmp"];
  for (const name of [ours, ...others]) writeFileSync(join(dir, name), "x");
  symlinkSync(victim, join(dir, ".link.0123456789abcdef.tmp"));
  recoverDirectory(dir);
  const left = [...others, ".link.0123456789abcdef.tmp", "victim"];
  expect(readdirSync(dir).toSorted()).toEqual(left.toSorted());
});
