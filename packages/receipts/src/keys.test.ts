import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aPlace, aRun, type Place } from "../test/fixtures.ts";
import { publicKeyOf } from "./ed25519.ts";
import { createKeyManager, verifyReceipt } from "./index.ts";

let place: Place;
let dir: string;
beforeEach(() => {
  place = aPlace();
  dir = place.keys.dir;
});
afterEach(() => place.remove());

const pathOf = (name: string): string => join(dir, name);
const contentOf = (name: string): string => readFileSync(pathOf(name), "utf8");
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const code = (code: string, message = ""): unknown =>
  expect.objectContaining({
    name: "ReceiptError",
    code,
    message: expect.stringContaining(message),
  });

// SPEC.md, statements 119, 121, 122.
test("the first use makes a key of 256 random bits, 64 hex digits and a newline", () => {
  expect(existsSync(dir)).toBe(false);
  expect(place.keys.open()).toMatchObject({ generation: 0, source: "created" });
  expect(contentOf("master.key")).toMatch(/^[0-9a-f]{64}\n$/);
  const other = createKeyManager({ dir: join(place.root, "other") });
  other.open();
  expect(readFileSync(join(other.dir, "master.key"), "utf8")).not.toBe(contentOf("master.key"));
});

// SPEC.md, statements 124.
test("the key is the same in every run after", () => {
  const { keyId } = place.keys.open();
  const content = contentOf("master.key");
  const again = createKeyManager({ dir }).open();
  expect(again).toEqual({ keyId, generation: 0, source: "loaded" });
  expect(contentOf("master.key")).toBe(content);
});

// SPEC.md, statements 133.
test("a backup is made with the key", () => {
  place.keys.open();
  expect(contentOf("master.key.bak")).toBe(contentOf("master.key"));
});

// SPEC.md, statements 120, 123, 231, 232, 235, 236.
test.for(["000", "002", "022", "027", "077", "277", "777"])(
  "under umask %s the folders have 0700, the key and its backup 0600",
  (mask) => {
    const before = process.umask(Number.parseInt(mask, 8));
    try {
      place.keys.open();
      place.keys.keyIndex(place.task);
      place.keys.rotate();
    } finally {
      expect(process.umask(before)).toBe(Number.parseInt(mask, 8));
    }
    const modes = new Map(readdirSync(dir).map((name) => [name, modeOf(pathOf(name))]));
    for (const [name, mode] of modes)
      expect([name, mode]).toEqual([name, name === "retired" ? "700" : "600"]);
    expect(modeOf(dir)).toBe("700");
    expect([...modes.keys()]).toEqual(
      expect.arrayContaining(["master.key", "master.key.bak", "index.json"]),
    );
  },
);

test.for([
  ["master.key", 0o640],
  ["master.key", 0o604],
  ["master.key", 0o620],
] as const)("a key file %s of mode %o is refused with a hint, and stays", ([name, mode]) => {
  place.keys.open();
  chmodSync(pathOf(name), mode);
  const content = contentOf(name);
  expect(() => place.keys.open()).toThrow(code("ERR_UNSAFE_KEY", "chmod 600"));
  expect(() => place.sign()).toThrow(code("ERR_UNSAFE_KEY", "loading key manager: "));
  expect(() => place.keys.init()).toThrow(code("ERR_UNSAFE_KEY"));
  expect(contentOf(name)).toBe(content);
});

test("a folder of keys that others can reach is refused with a hint", () => {
  mkdirSync(dir, { mode: 0o755 });
  expect(() => place.keys.open()).toThrow(code("ERR_UNSAFE_KEY", "chmod 700"));
  expect(readdirSync(dir)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("a folder of keys of another user is refused", () => {
  place.keys.open();
  chownSync(dir, 65_534, 65_534);
  expect(() => place.keys.open()).toThrow(code("ERR_UNSAFE_KEY", "owner 65534"));
  expect(() => place.sign()).toThrow(code("ERR_UNSAFE_KEY", "loading key manager: "));
});

// SPEC.md, statements 125.
test("every truncation and bit flip of the key is an error, and never replaced", () => {
  place.keys.open();
  const content = readFileSync(pathOf("master.key"));
  const accepted: string[] = [];
  const attempt = (bytes: Uint8Array, what: string) => {
    writeFileSync(pathOf("master.key"), bytes);
    try {
      place.keys.open();
      accepted.push(what);
    } catch (error) {
      expect(error).toEqual(code("ERR_DAMAGED_KEY", "parsing master key"));
    }
    expect(readFileSync(pathOf("master.key"))).toEqual(Buffer.from(bytes));
  };
  for (let bit = 0; bit < content.length * 8; bit += 1) {
    const bytes = Buffer.from(content);
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    attempt(bytes, `bit ${bit}`);
  }
  for (let length = 0; length < content.length; length += 1) {
    attempt(content.subarray(0, length), `${length} bytes`);
  }
  expect(accepted).toEqual(["64 bytes"]); // the digits without their newline are the same key
});

test.for([
  ["a link", () => symlinkSync("master.key.bak", pathOf("master.key"))],
  ["a folder", () => mkdirSync(pathOf("master.key"), { mode: 0o700 })],
  ["a huge file", () => writeFileSync(pathOf("master.key"), "0".repeat(5000), { mode: 0o600 })],
  ["an xprv", () => writeFileSync(pathOf("master.key"), "xprv9s21ZrQH143K", { mode: 0o600 })],
] as const)("%s where the key should be is an error", ([, plant]) => {
  place.keys.open();
  rmSync(pathOf("master.key"));
  plant();
  expect(() => place.keys.open()).toThrow(code("ERR_DAMAGED_KEY", "parsing master key"));
  expect(() => place.keys.init()).toThrow(code("ERR_DAMAGED_KEY"));
});

test("the Go original's key of 128 hex digits is read, if its halves belong together", () => {
  mkdirSync(dir, { mode: 0o700 });
  const seed = Buffer.alloc(32, 7);
  const content = Buffer.concat([seed, publicKeyOf(seed)]).toString("hex");
  writeFileSync(pathOf("master.key"), content, { mode: 0o600 });
  expect(place.keys.open().source).toBe("loaded");
  expect(contentOf("master.key.bak")).toBe(`${seed.toString("hex")}\n`);
  writeFileSync(pathOf("master.key"), `${content.slice(0, -1)}0`);
  expect(() => place.keys.open()).toThrow(code("ERR_DAMAGED_KEY"));
});

test("a missing key is restored from its backup, which is said", () => {
  const { keyId } = place.keys.open();
  const content = contentOf("master.key");
  rmSync(pathOf("master.key"));
  expect(place.keys.open()).toEqual({ keyId, generation: 0, source: "restored" });
  expect(contentOf("master.key")).toBe(content);
  rmSync(pathOf("master.key"));
  expect(place.sign().keySource).toBe("restored");
});

test("the backup of another key is not restored", () => {
  place.keys.open();
  rmSync(pathOf("master.key"));
  writeFileSync(pathOf("master.key.bak"), `${"ab".repeat(32)}\n`);
  expect(() => place.keys.open()).toThrow(
    code("ERR_MISSING_KEY", "its backup is not known to be of it"),
  );
  expect(existsSync(pathOf("master.key"))).toBe(false);
});

test.for(["public key", "index.json", "heads", "retired", "master.key.bak"])(
  "where only a %s is left, no key is made until that is asked for",
  (left) => {
    const { keyId } = place.keys.open();
    place.keys.rotate();
    place.sign();
    const kept =
      left === "public key" ? (/\w+\.pub/.exec(readdirSync(dir).join(" "))?.[0] ?? "") : left;
    for (const name of readdirSync(dir)) {
      if (name !== kept) rmSync(pathOf(name), { recursive: true });
    }
    expect(() => place.keys.open()).toThrow(code("ERR_MISSING_KEY", "initialize a new key"));
    expect(() => place.sign()).toThrow(code("ERR_MISSING_KEY", "loading key manager: "));
    expect(existsSync(pathOf("master.key"))).toBe(false);

    const made = place.keys.init();
    expect(made).toMatchObject({ source: "created" });
    expect(made.keyId).not.toBe(keyId);
    expect(place.keys.open()).toEqual({ ...made, source: "loaded" });
    expect(verifyReceipt(place.sign().receipt, place).kind).toBe("valid");
  },
);

test.for([
  ["damaged", "junk", "it is not 64 hex digits"],
  ["of another key", `${"ab".repeat(32)}\n`, "is not known to be of it"],
] as const)("initializing sets a backup aside that is %s, and makes a key", ([, content, why]) => {
  place.keys.open();
  rmSync(pathOf("master.key"));
  writeFileSync(pathOf("master.key.bak"), content);
  expect(() => place.keys.open()).toThrow(why);
  expect(place.keys.init().source).toBe("created");
  const aside = readdirSync(dir).find((name) => name.startsWith("master.key.bak.damaged-")) ?? "";
  expect(contentOf(aside)).toBe(content);
  expect(contentOf("master.key.bak")).toBe(contentOf("master.key"));
});

test("a damaged key that is moved away, as the error says, is restored from its backup", () => {
  const { keyId } = place.keys.open();
  writeFileSync(pathOf("master.key"), "junk");
  expect(() => place.keys.open()).toThrow(code("ERR_DAMAGED_KEY", "move it away"));
  renameSync(pathOf("master.key"), join(place.root, "damaged"));
  expect(place.keys.open()).toEqual({ keyId, generation: 0, source: "restored" });
});

test("a lone backup becomes the key when a person copies it there, as the error says", () => {
  const { keyId } = place.keys.open();
  for (const name of readdirSync(dir)) if (name !== "master.key.bak") rmSync(pathOf(name));
  expect(() => place.keys.open()).toThrow(code("ERR_MISSING_KEY", "copy the backup there"));
  copyFileSync(pathOf("master.key.bak"), pathOf("master.key"));
  expect(place.keys.open()).toEqual({ keyId, generation: 0, source: "loaded" });
});

test("initializing keeps the key that is here, and restores one that can be", () => {
  const { keyId } = place.keys.open();
  expect(place.keys.init()).toMatchObject({ keyId, source: "loaded" });
  rmSync(pathOf("master.key"));
  expect(place.keys.init()).toMatchObject({ keyId, source: "restored" });
});

test("verifying makes no key and needs none", () => {
  const { receipt } = place.sign();
  const keys = place.keys.accounts();
  rmSync(pathOf("master.key"));
  rmSync(pathOf("master.key.bak"));
  expect(verifyReceipt(receipt, place)).toMatchObject({ kind: "valid", coverage: "full" });
  rmSync(dir, { recursive: true });
  expect(verifyReceipt(receipt, place)).toMatchObject({ kind: "unverifiable", keyIds: [] });
  expect(place.keys.head(place.task)).toBeUndefined();
  expect(place.keys.publicKeyAt("m/44'/236'/0'/0'/0'")).toBeUndefined();
  expect(existsSync(dir)).toBe(false);
  expect(verifyReceipt(receipt, { ...place, keys: { accounts: () => keys } }).kind).toBe("valid");
});

test("rotating says whether the key had to be made or restored first", () => {
  expect(place.keys.rotate()).toMatchObject({ generation: 1, source: "created" });
  rmSync(pathOf("master.key"));
  expect(place.keys.rotate()).toMatchObject({ generation: 2, source: "restored" });
  expect(place.keys.rotate()).toMatchObject({ generation: 3, source: "loaded" });
});

test("a rotation retires the public key; what it signed stays valid", () => {
  const first = place.keys.open();
  const before = place.sign();
  const second = place.keys.rotate();
  expect(second).toMatchObject({ generation: 1 });
  expect(place.keys.accounts().map(({ keyId, retired }) => [keyId, retired])).toEqual([
    [second.keyId, false],
    [first.keyId, true],
  ]);
  const after = place.sign();
  expect(after.receipt).toMatchObject({ keyId: second.keyId, keyPath: "m/44'/236'/1'/0'/1'" });
  for (const { receipt } of [before, after])
    expect(verifyReceipt(receipt, place).kind).toBe("valid");
  rmSync(pathOf("master.key"));
  expect(place.keys.open()).toEqual({ ...second, source: "restored" });
});

test.for(["all", "the first"])(
  "of lost retired public keys %s are made again, and the account that signs stays",
  (lost) => {
    const { receipt } = place.sign();
    place.keys.rotate();
    const { keyId, generation } = place.keys.rotate();
    const before = place.keys.accounts();
    const loseThem = () =>
      rmSync(lost === "all" ? pathOf("retired") : pathOf(`retired/${receipt.keyId}.pub`), {
        recursive: true,
      });
    loseThem();
    expect(place.keys.open()).toEqual({ keyId, generation, source: "loaded" });
    expect(place.keys.accounts()).toEqual(before);
    expect(verifyReceipt(receipt, place).kind).toBe("valid");
    loseThem();
    rmSync(pathOf("master.key"));
    expect(place.keys.open()).toEqual({ keyId, generation, source: "restored" });
    expect(place.keys.accounts()).toEqual(before);
  },
);

test("what a killed process left of a key is removed before the keys are used", () => {
  const leftover = pathOf(".master.key.0123456789abcdef.tmp");
  mkdirSync(dir, { mode: 0o700 });
  for (const source of ["created", "loaded"]) {
    writeFileSync(leftover, "ab".repeat(32), { mode: 0o600 });
    expect(place.keys.open().source).toBe(source);
    expect(existsSync(leftover)).toBe(false);
  }
});

test("a public key file that is not of its name is an error", () => {
  const { keyId } = place.keys.open();
  const line = contentOf(`${keyId}.pub`);
  const other = createKeyManager({ dir: join(place.root, "other") }).open();
  writeFileSync(pathOf(`${other.keyId}.pub`), line);
  expect(() => place.keys.accounts()).toThrow(code("ERR_DAMAGED_KEY", `${other.keyId}.pub`));
});

test("each task gets a number of its own, and keeps it", () => {
  const task = (taskId: string) => place.keys.keyIndex({ workspaceId: "w", taskId });
  expect([task("a"), task("b"), task("a"), task("c")]).toEqual([0, 1, 0, 2]);
  expect(place.keys.keyIndex({ workspaceId: "other", taskId: "a" })).toBe(3);
  const keys = createKeyManager({ dir });
  expect(keys.keyIndex({ workspaceId: "w", taskId: "c" })).toBe(2);
});

test("an index that is damaged beyond its last generation is an error", () => {
  place.keys.keyIndex(place.task);
  for (const name of readdirSync(dir).filter((name) => name.startsWith("index.json"))) {
    writeFileSync(pathOf(name), "{}");
  }
  expect(() => place.keys.keyIndex({ ...place.task, taskId: "b" })).toThrow(code("ERR_DAMAGED"));
  expect(() => place.sign(aRun())).toThrow(code("ERR_DAMAGED", "signing receipt: "));
  expect(() => place.sign(aRun())).toThrow(`remove ${pathOf("index.json")}*`);
  for (const name of readdirSync(dir).filter((name) => name.startsWith("index.json"))) {
    rmSync(pathOf(name));
  }
  expect(place.sign(aRun()).receipt.keyPath).toBe("m/44'/236'/0'/0'/0'");
});
