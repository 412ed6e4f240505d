import { hash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aPlace, aRun, changed, CONFIG, type Place, TREE } from "../test/fixtures.ts";
import { sign } from "./ed25519.ts";
import {
  type ChainHead,
  createKeyManager,
  inspectReceipt,
  justifiesSkip,
  listReceipts,
  receiptPaths,
  signReceipt,
  type ValidationReceipt,
  type Verdict,
  verifyChain,
  verifyReceipt,
  verifySeedSignature,
} from "./index.ts";
import { stepsTo } from "./key-path.ts";
import { seedMessage } from "./seed-receipt.ts";
import { deriveNode } from "./slip10.ts";

let place: Place;
beforeEach(() => {
  place = aPlace();
});
afterEach(() => place.remove());

const sha256 = (text: string): string => hash("sha256", text);
const code = (code: string, message = ""): unknown =>
  expect.objectContaining({
    name: "ReceiptError",
    code,
    message: expect.stringContaining(message),
  });
const verdictOf = (receipt: ValidationReceipt) => verifyReceipt(receipt, place);
const VALID = { kind: "valid", coverage: "full", output: "matches" };

// SPEC.md, statements 136.
test("a receipt has the exact command, exit code, times, duration and SHA-256 of both outputs", () => {
  const command = "go test ./... | tee 'a b' # ü";
  const { receipt } = place.sign({ command }, { stdout: "out\0\r\n", stderr: "err" });
  const { receiptId, stepName, exitCode, startedAt, completedAt } = aRun({
    receiptId: receipt.receiptId,
  });
  expect(receipt).toMatchObject({ receiptId, stepName, exitCode, startedAt, completedAt, command });
  expect(receipt).toMatchObject({
    duration: "12.3s",
    stdoutHash: sha256("out\0\r\n"),
    stderrHash: sha256("err"),
  });
});

// SPEC.md, statements 127.
test("signing sets the key's path and the signature in hex", () => {
  const [first, second] = [place.sign(), place.sign()];
  expect(first.receipt.keyPath).toBe("m/44'/236'/0'/0'/0'");
  expect(second.receipt.keyPath).toBe("m/44'/236'/0'/0'/1'");
  expect(first.receipt.signature).toMatch(/^[0-9a-f]{128}$/);
  expect(first.receipt).toMatchObject({ sigAlg: "ed25519-slip10", sigVersion: 2 });
});

// SPEC.md, statements 130, 131, 207.
test("sign, verify, change the exit code, verify again, as the seed's TestReceiptSigning", () => {
  const { receipt } = place.sign({ command: "go test", exitCode: 0 });
  expect(receipt.signature).not.toBe("");
  expect(receipt.keyPath).not.toBe("");
  expect(verdictOf(receipt)).toEqual(VALID);
  expect(verdictOf(changed(receipt, { exitCode: 1 }))).toEqual({
    kind: "invalid",
    reason: "its exit_code is not what was signed",
    output: "matches",
  });
});

// SPEC.md, statements 140.
test("a command that failed or was killed gets a receipt too", () => {
  expect(verdictOf(place.sign({ exitCode: 1 }).receipt)).toEqual(VALID);
  const { receipt } = place.sign({ exitCode: 137, signal: "SIGKILL" });
  expect(receipt.exitCode).toBe(137);
  expect(inspectReceipt(receipt, place).statement).toMatchObject({ signal: "SIGKILL" });
});

test("everything that the caller knows is covered, and comes back when it is verified", () => {
  const run = aRun({ attempt: 3, signal: "SIGTERM", exitCode: 143, treeAfter: "9".repeat(64) });
  const { receipt } = place.sign(run);
  const { statement } = inspectReceipt(receipt, place);
  expect(statement).toMatchObject(run);
  expect(statement).toMatchObject({ sequence: 0, previousSha256: "0".repeat(64), stdoutBytes: 3 });
});

test("outside a repository a receipt names no commit and no tree", () => {
  const none = {
    commitBefore: undefined,
    treeBefore: undefined,
    commitAfter: undefined,
    treeAfter: undefined,
  };
  const { receipt } = place.sign(none);
  expect(verdictOf(receipt)).toEqual(VALID);
  expect(inspectReceipt(receipt, place).statement).not.toHaveProperty("treeAfter");
});

test("the file is a DSSE envelope over an in-toto statement, one spelling for one receipt", () => {
  const { receipt, head } = place.sign();
  const text = place.file(receipt).toString();
  const envelope = JSON.parse(text) as {
    payloadType: string;
    payload: string;
    signatures: { sig: string }[];
  };
  expect(envelope.payloadType).toBe("application/vnd.in-toto+json");
  const signature = Buffer.from(receipt.signature, "hex").toString("base64");
  expect(envelope.signatures).toEqual([{ keyid: expect.any(String), sig: signature }]);
  expect(JSON.parse(Buffer.from(envelope.payload, "base64").toString())).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      { name: `${receipt.receiptId}.out`, digest: { sha256: receipt.stdoutHash } },
      { name: `${receipt.receiptId}.err`, digest: { sha256: receipt.stderrHash } },
      { name: "tree", digest: { gitTree: TREE } },
    ],
    predicateType: "urn:quasar:validation-receipt:2",
    predicate: { receipt_id: receipt.receiptId, argv: ["sh", "-c", "go test ./..."] },
  });
  expect(head).toEqual({ count: 1, sha256: sha256(text) });
});

test.for([
  ["matches", "valid", () => {}],
  ["modified", "valid", (path: string) => writeFileSync(path, "oK\n")],
  ["modified", "valid", (path: string) => writeFileSync(path, "ok\nmore")],
  ["missing", "valid", (path: string) => rmSync(path)],
  [
    "modified",
    "valid",
    (path: string) => {
      writeFileSync(`${path}.real`, "ok\n");
      rmSync(path);
      symlinkSync(`${path}.real`, path);
    },
  ],
  [
    "modified",
    "valid",
    (path: string) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
] as const)("outputs are kept in full and hashed again: %s", ([output, kind, change]) => {
  const { receipt } = place.sign();
  change(receiptPaths(place.dir, receipt.receiptId).stdout);
  expect(verdictOf(receipt)).toMatchObject({ kind, output });
});

test("an output of many megabytes is hashed whole", () => {
  const stdout = "0123456789abcdef".repeat(2 ** 17);
  const { receipt } = place.sign({}, { stdout });
  expect(receipt.stdoutHash).toBe(sha256(stdout));
  const path = receiptPaths(place.dir, receipt.receiptId).stdout;
  writeFileSync(path, `${stdout.slice(0, -1)}x`);
  expect(verdictOf(receipt).output).toBe("modified");
});

test("a receipt of a key that is not here is unverifiable, and says which keys are", () => {
  const { receipt } = place.sign();
  const other = aPlace();
  const { keyId } = other.keys.open();
  expect(verifyReceipt(receipt, { ...place, keys: other.keys })).toEqual({
    kind: "unverifiable",
    reason: `signed by key ${receipt.keyId}; here: ${keyId}`,
    signedBy: receipt.keyId,
    keyIds: [keyId],
    output: "matches",
  });
  other.remove();
});

test("keys that must not be used make a receipt unverifiable, and are not thrown", () => {
  const { receipt } = place.sign();
  const seed = aSeedReceipt();
  writeFileSync(join(place.keys.dir, "master.key"), "not a key");
  expect(verdictOf(seed)).toMatchObject({
    kind: "unverifiable",
    reason: expect.stringContaining("parsing master key"),
  });
  expect(verdictOf(receipt)).toEqual(VALID);
  writeFileSync(join(place.keys.dir, `${receipt.keyId}.pub`), "not a key");
  expect(verdictOf(receipt)).toMatchObject({ kind: "unverifiable", signedBy: receipt.keyId });
});

test.runIf(process.getuid?.() === 0).for([0o700, 0o755])(
  "keys that this user may not read, in a folder in one of mode %o, are not here, and nothing is thrown",
  (mode) => {
    const home = join(place.root, "home");
    mkdirSync(home);
    const keys = createKeyManager({ dir: join(home, "keys") });
    const at = { ...place, keys };
    const { receipt } = place.sign();
    const seed = aSeedReceipt();
    renameSync(place.keys.dir, keys.dir);
    chmodSync(home, mode);
    for (const folder of [place.root, place.dir]) chmodSync(folder, 0o755);
    chmodSync(receiptPaths(place.dir, receipt.receiptId).envelope, 0o644);
    process.seteuid?.(65_534);
    try {
      expect(verifyReceipt(receipt, at)).toMatchObject({
        kind: "unverifiable",
        signedBy: receipt.keyId,
        reason: expect.stringContaining("EACCES"),
      });
      expect(verifyReceipt(seed, at)).toMatchObject({ kind: "unverifiable" });
      expect(keys.head(place.task)).toBeUndefined();
    } finally {
      process.seteuid?.(0);
    }
  },
);

test.for(["", "retired"])(
  "no public key is trusted where others could have put it: keys/%s",
  (name) => {
    const { receipt } = place.sign();
    place.keys.rotate();
    const folder = join(place.keys.dir, name);
    for (const mode of [0o770, 0o702]) {
      chmodSync(folder, mode);
      expect(verdictOf(receipt)).toMatchObject({
        kind: "unverifiable",
        reason: expect.stringContaining(`chmod 700 on it`),
      });
    }
    chmodSync(folder, 0o755);
    expect(verdictOf(receipt)).toEqual(VALID);
  },
);

test("what is planted among the receipts' files stops neither signing nor verifying", () => {
  const { receipt } = place.sign();
  mkdirSync(join(place.dir, "folder.dsse.json"));
  symlinkSync("/dev/zero", join(place.dir, "link.dsse.json"));
  writeFileSync(join(place.dir, "huge.dsse.json"), Buffer.alloc(2 ** 20 + 1, "["));
  writeFileSync(join(place.dir, "deep.dsse.json"), "[".repeat(2 ** 20));
  writeFileSync(join(place.dir, "null.dsse.json"), "null");
  writeFileSync(join(place.dir, "copy.dsse.json"), place.file(receipt));
  const second = place.sign();
  expect(second.head.count).toBe(2);
  expect(listReceipts(place.dir)).toEqual([receipt, second.receipt]);
  expect(listReceipts(place.dir, { tree: TREE })).toEqual([receipt, second.receipt]);
  expect(listReceipts(place.dir, { tree: "0".repeat(40) })).toEqual([]);
  for (const receiptId of ["folder", "link", "huge", "deep", "null", "copy"]) {
    expect(verdictOf(changed(receipt, { receiptId }))).toMatchObject({ kind: "invalid" });
  }
  const planted = changed(receipt, { receiptId: "link" });
  expect(verifyChain([planted], { ...place, anchors: [] }).kind).toBe("invalid");
});

test("an anchor within the chain is judged, and leaves the tail unproved", () => {
  const [first, second] = [place.sign(), place.sign()];
  const receipts = [first.receipt, second.receipt];
  const anchored = (anchors: readonly ChainHead[]) => verifyChain(receipts, { ...place, anchors });
  expect(anchored([first.head])).toMatchObject({ kind: "valid", tail: "unproved" });
  expect(anchored([first.head, second.head])).toMatchObject({ kind: "valid", tail: "proved" });
  const other = { count: 1, sha256: second.head.sha256 };
  expect(anchored([other, second.head])).toMatchObject({ kind: "invalid", tail: "proved" });
});

test("a chain of a key that is not here is unverifiable, not valid", () => {
  const receipts = [place.sign().receipt, place.sign().receipt];
  const keys = { accounts: () => [] };
  const verdict = verifyChain(receipts, { ...place, keys, anchors: [] });
  expect(verdict).toMatchObject({ kind: "unverifiable", problems: [] });
  expect(verifyChain(receipts.toReversed(), { ...place, keys, anchors: [] }).kind).toBe("invalid");
});

test("a lost head is found again from the receipts' files, and so is a chain of a lost key", () => {
  place.sign();
  rmSync(join(place.keys.dir, "heads"), { recursive: true });
  expect(place.sign().head.count).toBe(2);
  rmSync(join(place.keys.dir, "master.key"));
  rmSync(join(place.keys.dir, "master.key.bak"));
  place.keys.init();
  expect(place.sign().head.count).toBe(3);
  const verdict = verifyChain(listReceipts(place.dir), { ...place, anchors: [] });
  expect(verdict).toMatchObject({ kind: "valid", head: { count: 3 } });
});

test.for([
  ["a command with half a character", { command: "\ud83d" }],
  ["attempt 0", { attempt: 0 }],
  ["an exit code beyond a byte", { exitCode: 256 }],
  ["half a millisecond", { durationMs: 0.5 }],
  ["no time", { startedAt: "yesterday" }],
  ["a tree that is no id", { treeAfter: "HEAD" }],
  ["a signal that is none", { signal: "9" }],
] as const)("refuses to sign %s, and keeps nothing", ([, change]) => {
  expect(() => place.sign(change)).toThrow(code("ERR_INVALID_RECEIPT", "signing receipt: "));
  expect(listReceipts(place.dir)).toEqual([]);
});

// SPEC.md, statements 137, 138.
test("what goes wrong is named: loading the keys, or signing", () => {
  const { receipt } = place.sign();
  const { receiptId } = receipt;
  const options = { keys: place.keys, dir: place.dir };
  expect(() => place.sign({ receiptId })).toThrow(code("ERR_DUPLICATE_ID", "signing receipt: "));
  expect(() => place.sign({ receiptId: "x", stepName: "\udc00" })).toThrow("signing receipt: ");
  const unsafe = aRun({ receiptId: "../x" });
  expect(() => signReceipt(unsafe, options)).toThrow(code("ERR_UNSAFE_ID", "signing receipt: "));
  expect(() => signReceipt(aRun(), options)).toThrow(
    code("ERR_MISSING_OUTPUT", "signing receipt: "),
  );
  writeFileSync(join(place.keys.dir, "master.key"), "not a key");
  expect(() => place.sign()).toThrow("loading key manager: parsing master key: ");
  expect(verdictOf(receipt)).toEqual(VALID);
});

test("an id that leaves the folder is not looked up", () => {
  const { receipt } = place.sign();
  const escaped = changed(receipt, { receiptId: `../receipts/${receipt.receiptId}` });
  expect(verdictOf(escaped)).toMatchObject({ kind: "invalid", output: "unchecked" });
});

test.for([
  ["the same tree and configuration", {}, {}, true],
  ["another tree now", {}, { tree: "8".repeat(40) }, false],
  ["another configuration now", {}, { configSha256: "d".repeat(64) }, false],
  ["a tree that the command changed", { treeAfter: "8".repeat(40) }, {}, false],
  ["a tree that was another before", { treeBefore: "8".repeat(40) }, {}, false],
  ["no tree", { treeBefore: undefined, treeAfter: undefined }, {}, false],
  ["a failure", { exitCode: 1 }, {}, false],
] as const)("%s: whether a validation may be skipped", ([, run, now, expected]) => {
  const inspected = inspectReceipt(place.sign(run).receipt, place);
  const present = { tree: TREE, configSha256: CONFIG, ...now };
  expect(justifiesSkip(inspected, present)).toBe(expected);
});

test("no validation is skipped for a receipt that is not valid, or whose output is gone", () => {
  const present = { tree: TREE, configSha256: CONFIG };
  const { receipt } = place.sign({ exitCode: 1 });
  expect(justifiesSkip(inspectReceipt(changed(receipt, { exitCode: 0 }), place), present)).toBe(
    false,
  );
  const passed = place.sign().receipt;
  const { verdict, statement } = inspectReceipt(passed, place);
  expect(justifiesSkip({ verdict, statement }, present)).toBe(true);
  const output = "matches";
  const lesser: readonly Verdict[] = [
    { kind: "valid", coverage: "partial", output },
    { kind: "invalid", reason: "x", output },
    { kind: "unverifiable", reason: "x", signedBy: "x", keyIds: [], output },
  ];
  for (const verdict of lesser) expect(justifiesSkip({ verdict, statement }, present)).toBe(false);
  rmSync(receiptPaths(place.dir, passed.receiptId).stderr);
  expect(justifiesSkip(inspectReceipt(passed, place), present)).toBe(false);
});

/** Signed as the seed says: six fields, hashed, by a key below the one that is kept. */
function aSeedReceipt(change: Partial<ValidationReceipt> = {}): ValidationReceipt {
  place.keys.open();
  const seed = Buffer.from(readFileSync(join(place.keys.dir, "master.key"), "utf8").trim(), "hex");
  const receipt: ValidationReceipt = {
    receiptId: "test-001",
    stepName: "implement",
    command: "go test",
    exitCode: 0,
    startedAt: "2026-01-17T14:42:15Z",
    completedAt: "2026-01-17T14:42:27.9Z",
    duration: "12.9s",
    stdoutHash: "abc123",
    stderrHash: "def456",
    keyPath: "m/44'/236'/0'/0/0",
    keyId: "",
    sigAlg: "ed25519-slip10",
    sigVersion: 1,
    signature: "",
    ...change,
  };
  const steps = stepsTo(0, 0, 0);
  const key = receipt.keyPath.startsWith("m/") ? deriveNode(seed, steps).privateKey : seed;
  return { ...receipt, signature: sign(key, seedMessage(receipt)).toString("hex") };
}

// SPEC.md, statements 128, 129.
test.for(["m/44'/236'/0'/0/0", "m/44'/236'/0'/0'/0'", "native-ed25519-v1"])(
  "a receipt of the seed's format at %s is verified by the key at its path, as partial",
  (keyPath) => {
    const receipt = aSeedReceipt({ keyPath });
    expect(verdictOf(receipt)).toEqual({ kind: "valid", coverage: "partial", output: "missing" });
    rmSync(join(place.keys.dir, "master.key"));
    rmSync(join(place.keys.dir, "master.key.bak"));
    expect(verdictOf(receipt)).toMatchObject({ kind: "unverifiable", signedBy: keyPath });
  },
);

// SPEC.md, statements 128, 131.
test.for([
  [{ receiptId: "test-002" }],
  [{ command: "go test ./..." }],
  [{ exitCode: 1 }],
  [{ stdoutHash: "abc124" }],
  [{ stderrHash: "" }],
  [{ completedAt: "2026-01-17T14:42:28Z" }],
  [{ keyPath: "m/44'/236'/0'/0/1" }],
] as const)("the seed's signature covers six fields: %j is false, not an error", ([change]) => {
  const receipt = aSeedReceipt();
  const forged: ValidationReceipt = { ...receipt, ...change };
  const keyOf = ({ keyPath }: ValidationReceipt) =>
    place.keys.publicKeyAt(keyPath) ?? expect.fail();
  expect(verifySeedSignature(receipt, keyOf(receipt))).toBe(true);
  expect(verifySeedSignature(forged, keyOf(forged))).toBe(false);
  expect(verdictOf(forged)).toMatchObject({ kind: "invalid" });
});

// SPEC.md, statements 132.
test.for(["zz", "abc", "0x00"])(
  "a signature %j that is not hex is an error of the seed's function, a verdict here",
  (signature) => {
    const receipt = changed(aSeedReceipt(), { signature });
    expect(() => verifySeedSignature(receipt, Buffer.alloc(32))).toThrow(
      code("ERR_MALFORMED_SIGNATURE"),
    );
    expect(verdictOf(receipt)).toMatchObject({
      kind: "invalid",
      reason: "the signature is not hex",
    });
    const { receipt: ours } = place.sign();
    expect(verdictOf(changed(ours, { signature }))).toMatchObject({ kind: "invalid" });
  },
);

test("a receipt of the seed's format in another's name is unverifiable, at no path invalid", () => {
  expect(verdictOf(aSeedReceipt({ keyId: "0123456789abcdef" }))).toMatchObject({
    kind: "unverifiable",
  });
  expect(verdictOf(changed(aSeedReceipt(), { keyPath: "m/0" }))).toMatchObject({ kind: "invalid" });
});

test("a receipt of the seed's format of a key that was lost is unverifiable, not invalid", () => {
  const { keyId } = place.keys.open();
  const receipt = aSeedReceipt({ keyId });
  expect(verdictOf(receipt)).toMatchObject({ kind: "valid", coverage: "partial" });
  place.keys.rotate();
  expect(verdictOf(receipt)).toMatchObject({ kind: "valid", coverage: "partial" });
  rmSync(join(place.keys.dir, "master.key"));
  rmSync(join(place.keys.dir, "master.key.bak"));
  place.keys.init();
  expect(verdictOf(receipt)).toMatchObject({
    kind: "unverifiable",
    signedBy: keyId,
    reason: `signed by key ${keyId}; the seed's format needs its private key, which is not here`,
  });
});

test("a chain may begin with receipts of the seed's format", () => {
  const receipts = [aSeedReceipt(), place.sign().receipt, place.sign().receipt];
  const head = place.keys.head(place.task);
  const verdict = verifyChain(receipts, { ...place, anchors: head ? [head] : [] });
  expect(verdict).toMatchObject({ kind: "valid", tail: "proved", head: { count: 2 } });
  expect(justifiesSkip(verdict.receipts[0]!, { tree: TREE, configSha256: CONFIG })).toBe(false);
});

// SPEC.md, statements 117, 118.
test("the limit: a process that can read the key can sign what never ran", () => {
  place.keys.open();
  const stranger = { keys: createKeyManager({ dir: place.keys.dir }), dir: place.dir };
  const run = aRun({ command: "never ran" });
  const paths = receiptPaths(place.dir, run.receiptId);
  writeFileSync(paths.stdout, "all tests pass\n");
  writeFileSync(paths.stderr, "");
  expect(verdictOf(signReceipt(run, stranger).receipt)).toEqual(VALID);
});

test("a head that a crash has left behind its receipts is recovered, with those that are valid", () => {
  const { keys, task, dir } = place;
  const heads = join(keys.dir, "heads");
  place.sign({ receiptId: "first" });
  cpSync(heads, `${heads}.before`, { recursive: true });
  place.sign({ receiptId: "second" });
  rmSync(heads, { recursive: true });
  renameSync(`${heads}.before`, heads);
  writeFileSync(receiptPaths(dir, "forged").envelope, "{}");
  const tail = (): unknown => {
    const head = keys.head(task);
    const { kind, tail: proved } = verifyChain(
      listReceipts(dir).filter(({ receiptId }) => receiptId !== "forged"),
      { dir, task, keys, anchors: head ? [head] : [] },
    );
    return { kind, tail: proved, count: head?.count };
  };
  expect(tail()).toEqual({ kind: "valid", tail: "unproved", count: 1 });
  keys.recoverHead(task, dir);
  expect(tail()).toEqual({ kind: "valid", tail: "proved", count: 2 });
  keys.recoverHead(task, dir);
  expect(tail()).toEqual({ kind: "valid", tail: "proved", count: 2 });
});

test("no head is recovered without the private key, and no key is made for it", () => {
  const { keys, task, dir } = place;
  place.sign();
  rmSync(keys.dir, { recursive: true });
  keys.recoverHead(task, dir);
  expect(existsSync(keys.dir)).toBe(false);
});
