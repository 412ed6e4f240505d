import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { aPlace, changed, type Place } from "../test/fixtures.ts";
import { CERTIFICATE_TYPE, type Certificate, certificateDigest, certify } from "./certificate.ts";
import { type Envelope, seal } from "./dsse.ts";
import { publicKeyOf } from "./ed25519.ts";
import {
  type ChainHead,
  decodeReceipt,
  encodeReceipt,
  receiptPaths,
  type ValidationReceipt,
  verifyChain,
  verifyReceipt,
} from "./index.ts";
import { formatKeyPath, stepsTo } from "./key-path.ts";
import { mirrorOf } from "./mirror.ts";
import { decodeReceiptFile, encodeReceiptFile, type ReceiptFile } from "./receipt-file.ts";
import { deriveNode } from "./slip10.ts";
import {
  decodeStatement,
  encodeStatement,
  type ReceiptStatement,
  STATEMENT_TYPE,
} from "./statement.ts";

let place: Place;
let receipts: readonly ValidationReceipt[];
let files: readonly Buffer[];
let anchors: readonly ChainHead[];

beforeAll(() => {
  place = aPlace();
  const steps = ["implement", "validate", "validate", "security-review"];
  receipts = steps.map(
    (stepName, index) =>
      place.sign({ stepName, exitCode: index === 2 ? 1 : 0 }, { stdout: `${index}` }).receipt,
  );
  files = receipts.map(place.file);
  const head = place.keys.head(place.task);
  anchors = head ? [head] : [];
});
afterAll(() => place.remove());
beforeEach(() =>
  receipts.forEach((receipt, index) => writeFileSync(fileOf(receipt), files[index] ?? "")),
);

const fileOf = (receipt: ValidationReceipt): string =>
  receiptPaths(place.dir, receipt.receiptId).envelope;
const at = (index: number): ValidationReceipt => receipts[index] ?? expect.fail();
const chain = (list: readonly ValidationReceipt[], heads = anchors) =>
  verifyChain(list, { ...place, anchors: heads });
const seedOf = (of: Place): Buffer =>
  Buffer.from(readFileSync(join(of.keys.dir, "master.key"), "utf8").trim(), "hex");

/** Puts a file in a receipt's place, and lets hook.json say what it says. */
function plant(index: number, file: ReceiptFile): readonly ValidationReceipt[] {
  writeFileSync(fileOf(at(index)), encodeReceiptFile(file));
  const planted = mirrorOf(file, decodeStatement(file.statement.payload));
  return receipts.with(index, planted);
}

const opened = (index: number) => openedBytes(files[index] ?? Buffer.alloc(0));

function openedBytes(bytes: Buffer): { file: ReceiptFile; statement: ReceiptStatement } {
  const file = decodeReceiptFile(bytes);
  return { file, statement: decodeStatement(file.statement.payload) };
}

interface Issue {
  /** Numbers of the task and of the receipt, for the keys. */
  readonly keys?: readonly [task: number, receipt: number];
  readonly statement?: Partial<ReceiptStatement>;
  readonly taskKey?: Partial<Certificate>;
  readonly receiptKey?: Partial<Certificate>;
}

/** A receipt that differs from ours as it says, signed by real keys, as only a thief of them could. */
function issue(index: number, { keys = [0, index], ...change }: Issue): ReceiptFile {
  const [task, receipt] = keys;
  const privateKeyAt = (...below: readonly number[]) =>
    deriveNode(seedOf(place), stepsTo(0, ...below)).privateKey;
  const [taskKey, receiptKey] = [privateKeyAt(task), privateKeyAt(task, receipt)];
  const { workspaceId, taskId } = place.task;
  const certificateOf = (key: Buffer, path: string) => ({
    path,
    publicKey: publicKeyOf(key).toString("hex"),
    workspaceId,
    taskId,
  });
  const keyPath = formatKeyPath(0, task, receipt);
  const taskCertificate = certify(
    { ...certificateOf(taskKey, formatKeyPath(0, task)), ...change.taskKey },
    privateKeyAt(),
  );
  const receiptCertificate = certify(
    { ...certificateOf(receiptKey, keyPath), ...change.receiptKey },
    taskKey,
  );
  const payload = encodeStatement({
    ...opened(index).statement,
    keyPath,
    taskCertificateSha256: certificateDigest(taskCertificate),
    receiptCertificateSha256: certificateDigest(receiptCertificate),
    ...change.statement,
  });
  const statement = seal(receiptKey, STATEMENT_TYPE, payload);
  return { statement, taskCertificate, receiptCertificate };
}

const verdictOn = (index: number, file: ReceiptFile) =>
  verifyReceipt(plant(index, file)[index] ?? expect.fail(), place);

test("without an attack the chain is valid, and its tail is proved", () => {
  expect(chain(receipts)).toMatchObject({
    kind: "valid",
    tail: "proved",
    problems: [],
    head: anchors[0],
  });
});

describe("edits of hook.json that the seed's signature allows", () => {
  test("a failing command cut at a bar to one that passes", () => {
    const { receipt } = aPlaceWith({ command: "go test ./...|0|y", exitCode: 127 });
    const forged = changed(receipt, {
      command: "go test ./...",
      exitCode: 0,
      stdoutHash: `y|127|${receipt.stdoutHash}`,
    });
    expect(() =>
      decodeReceipt({ ...encodeReceipt(receipt), stdout_hash: forged.stdoutHash }),
    ).toThrow("stdout_hash");
    expect(verifyReceipt(forged, extra)).toMatchObject({ kind: "invalid" });
  });

  test("a command moved into the id", () => {
    const { receipt } = aPlaceWith({ receiptId: "rcpt-004", command: "true || x|go test ./..." });
    const forged = changed(receipt, { receiptId: "rcpt-004|true || x", command: "go test ./..." });
    expect(verifyReceipt(forged, extra)).toMatchObject({ kind: "invalid" });
    expect(verifyReceipt(changed(receipt, { command: "go test ./..." }), extra)).toMatchObject({
      kind: "invalid",
    });
  });

  test.for([
    [{ stepName: "security-review" }],
    [{ startedAt: "1999-01-01T00:00:00.000Z" }],
    [{ duration: "45m" }],
    [{ completedAt: "2026-01-17T14:42:27.424Z" }],
  ] as const)("another step, start, duration or millisecond: %j", ([change]) => {
    expect(verifyReceipt(changed(at(0), change), place)).toMatchObject({ kind: "invalid" });
  });

  let extra: Place;
  function aPlaceWith(run: Partial<Parameters<Place["sign"]>[0]>) {
    extra = aPlace();
    onDone.push(extra);
    return extra.sign(run);
  }
  const onDone: Place[] = [];
  afterAll(() => onDone.forEach((each) => each.remove()));
});

describe("attacks on the chain", () => {
  const kindOf = (list: readonly ValidationReceipt[], heads = anchors) => chain(list, heads).kind;

  test("1. edit: the statement is changed, the signature kept", () => {
    const { file, statement } = opened(2);
    const payload = encodeStatement({ ...statement, exitCode: 0 });
    const verdict = chain(plant(2, { ...file, statement: { ...file.statement, payload } }));
    expect(verdict.problems[0]).toMatchObject({
      receiptId: at(2).receiptId,
      reason: "the signature is not of these bytes",
    });
  });

  test("2. relabel: a receipt of one step is shown as another's", () => {
    expect(kindOf(receipts.with(0, changed(at(0), { stepName: "security-review" })))).toBe(
      "invalid",
    );
  });

  test("3. swap the commit: another tree and commit in the statement", () => {
    const { file, statement } = opened(1);
    const payload = encodeStatement({
      ...statement,
      commitAfter: "e".repeat(40),
      treeAfter: "f".repeat(40),
    });
    expect(kindOf(plant(1, { ...file, statement: { ...file.statement, payload } }))).toBe(
      "invalid",
    );
  });

  test("4. delete the first", () => expect(kindOf(receipts.slice(1), [])).toBe("invalid"));
  test("5. delete one in the middle", () =>
    expect(kindOf(receipts.toSpliced(2, 1), [])).toBe("invalid"));

  test("6. delete the last: found by the head that was kept, unproved without it", () => {
    const { problems } = chain(receipts.slice(0, -1));
    expect(problems).toEqual([{ reason: "4 receipts were signed, 3 are here" }]);
    expect(chain(receipts.slice(0, -1), [])).toMatchObject({ kind: "valid", tail: "unproved" });
  });

  test("7. delete all: found by the head that was kept", () => {
    expect(kindOf([])).toBe("invalid");
    expect(chain([], [])).toMatchObject({ kind: "valid", tail: "unproved", head: { count: 0 } });
  });

  test("8. reorder", () => expect(kindOf([at(0), at(2), at(1), at(3)], [])).toBe("invalid"));
  test("9. duplicate", () =>
    expect(kindOf([at(0), at(1), at(1), at(2), at(3)], [])).toBe("invalid"));

  test("10. strip: the envelope is removed, or shown as a receipt of the seed's format", () => {
    rmSync(fileOf(at(1)));
    expect(chain(receipts, []).problems[0]).toMatchObject({ reason: "its file is missing" });
    expect(kindOf(receipts.with(1, changed(at(1), { sigVersion: 1 })), [])).toBe("invalid");
    const { file } = opened(2);
    const bare = `${JSON.stringify({ ...JSON.parse(encodeReceiptFile(file).toString()), certificates: [] })}\n`;
    writeFileSync(fileOf(at(2)), bare);
    expect(kindOf(receipts, [])).toBe("invalid");
  });

  /** A receipt like ours, with all keys below another master key. */
  function foreign(forgedKeyId?: string): ReceiptFile {
    const seed = Buffer.alloc(32, 9);
    const [account, task, receipt] = [[0], [0, 0], [0, 0, 1]].map(
      ([generation = 0, ...below]) => deriveNode(seed, stepsTo(generation, ...below)).privateKey,
    ) as [Buffer, Buffer, Buffer];
    const { statement } = opened(1);
    const { workspaceId, taskId, keyPath } = statement;
    const of = (key: Buffer) => ({
      publicKey: publicKeyOf(key).toString("hex"),
      workspaceId,
      taskId,
    });
    const forge = (envelope: Envelope) => ({ ...envelope, keyId: forgedKeyId ?? envelope.keyId });
    const taskCertificate = forge(certify({ path: "m/44'/236'/0'/0'", ...of(task) }, account));
    const receiptCertificate = certify({ path: keyPath, ...of(receipt) }, task);
    const payload = encodeStatement({
      ...statement,
      taskCertificateSha256: certificateDigest(taskCertificate),
      receiptCertificateSha256: certificateDigest(receiptCertificate),
    });
    return {
      statement: seal(receipt, STATEMENT_TYPE, payload),
      taskCertificate,
      receiptCertificate,
    };
  }

  test("11. a foreign key: unverifiable, and the chain after it broken", () => {
    const list = plant(1, foreign());
    expect(verifyReceipt(list[1] ?? at(1), place)).toMatchObject({ kind: "unverifiable" });
    expect(kindOf(list)).toBe("invalid");
    expect(kindOf(list, [])).toBe("invalid");
  });

  test("12. a foreign key in our key's name", () => {
    const list = plant(1, foreign(at(1).keyId));
    expect(verifyReceipt(list[1] ?? at(1), place)).toMatchObject({
      kind: "invalid",
      reason: "the certificate of the task's key is not the account's",
    });
  });

  test("12b. a key of one's own below the genuine certificate of the task's key", () => {
    const own = Buffer.alloc(32, 9);
    const { file, statement } = opened(1);
    const { workspaceId, taskId, keyPath } = statement;
    const publicKey = publicKeyOf(own).toString("hex");
    const issued = certify({ path: keyPath, publicKey, workspaceId, taskId }, own);
    for (const receiptCertificate of [
      issued,
      { ...issued, keyId: file.receiptCertificate.keyId },
    ]) {
      const receiptCertificateSha256 = certificateDigest(receiptCertificate);
      const payload = encodeStatement({ ...statement, exitCode: 7, receiptCertificateSha256 });
      const list = plant(1, {
        ...file,
        receiptCertificate,
        statement: seal(own, STATEMENT_TYPE, payload),
      });
      expect(verifyReceipt(list[1] ?? at(1), place)).toMatchObject({
        kind: "invalid",
        reason: "the certificate of the receipt's key is not the task's",
      });
    }
  });

  test("12c. certificates that were issued anew, for the same keys", () => {
    const { file, statement } = opened(1);
    const { workspaceId, taskId } = statement;
    const taskKey = deriveNode(seedOf(place), stepsTo(0, 0)).privateKey;
    const respelled = Buffer.from(`${file.receiptCertificate.payload.toString()} `);
    const receiptCertificate = seal(taskKey, CERTIFICATE_TYPE, respelled);
    expect(
      verifyReceipt(plant(1, { ...file, receiptCertificate })[1] ?? at(1), place),
    ).toMatchObject({
      reason: "the certificate of the receipt's key was changed",
    });

    const other = Buffer.alloc(32, 9);
    const publicKey = publicKeyOf(taskKey).toString("hex");
    const path = "m/44'/236'/0'/0'";
    const taskCertificate = certify({ path, publicKey, workspaceId, taskId }, other);
    const trusted = { keyId: taskCertificate.keyId, publicKey: publicKeyOf(other), retired: false };
    const keys = { accounts: () => [...place.keys.accounts(), trusted] };
    const planted = plant(1, { ...file, taskCertificate })[1] ?? at(1);
    expect(verifyReceipt(planted, { ...place, keys })).toMatchObject({
      reason: "the certificate of the task's key was changed",
    });
  });

  test("13. another type: a certificate as a statement, a statement as a certificate", () => {
    const { file } = opened(1);
    const { receiptCertificate, statement } = file;
    const bytes = encodeReceiptFile({ ...file, statement: receiptCertificate });
    writeFileSync(fileOf(at(1)), bytes);
    expect(verifyReceipt(at(1), place)).toMatchObject({ kind: "invalid" });
    writeFileSync(fileOf(at(1)), encodeReceiptFile({ ...file, receiptCertificate: statement }));
    expect(verifyReceipt(at(1), place)).toMatchObject({ kind: "invalid" });
    const retyped = { ...file, statement: { ...statement, payloadType: "application/json" } };
    writeFileSync(fileOf(at(1)), encodeReceiptFile(retyped));
    expect(verifyReceipt(at(1), place)).toMatchObject({
      kind: "invalid",
      reason: "the signature is not of these bytes",
    });
  });

  test("14. another task's key and receipts", () => {
    const taskId = "other";
    const theirs = { keys: [1, 1], taskKey: { taskId }, receiptKey: { taskId } } as const;
    expect(verdictOn(1, issue(1, theirs))).toMatchObject({ reason: "its key is not of its place" });
    const genuine = issue(1, { ...theirs, statement: { taskId } });
    expect(verdictOn(1, genuine)).toMatchObject({ reason: "it is of another task" });
    const task = { ...place.task, taskId };
    const receipt = plant(1, genuine)[1] ?? at(1);
    expect(verifyReceipt(receipt, { ...place, task })).toMatchObject({ kind: "valid" });
  });

  test.for([
    [{ statement: { keyPath: "m/44'/236'/0'/0/1" }, receiptKey: { path: "m/44'/236'/0'/0/1" } }],
    [{ statement: { keyPath: "m/44'/236'/0'/0'/2'" } }],
    [{ statement: { sequence: 2 } }],
    [{ keys: [0, 2] }],
    [{ taskKey: { path: "m/44'/236'/0'/1'" } }],
    [{ taskKey: { path: "m/44'/236'/1'/0'" } }],
    [{ taskKey: { taskId: "other" } }],
    [{ taskKey: { workspaceId: "other" } }],
    [{ receiptKey: { taskId: "other" } }],
    [{ receiptKey: { path: "m/44'/236'/0'/0'/2'" } }],
  ] as const)("14b. a key of another place, though it is ours: %j", ([change]) => {
    expect(verdictOn(1, issue(1, {})).kind).toBe("valid");
    const reason = "its key is not of its place";
    expect(verdictOn(1, issue(1, change))).toMatchObject({ kind: "invalid", reason });
  });

  test("15. bits left over in base64, and other spellings of the same bytes", () => {
    const text = files[1]?.toString() ?? "";
    const sig = /"sig":"([^"]+)=="/.exec(text)?.[1] ?? "";
    const last = sig.at(-1) ?? "";
    const next = String.fromCharCode(last.charCodeAt(0) + 1);
    expect(Buffer.from(`${sig.slice(0, -1)}${next}==`, "base64")).toEqual(
      Buffer.from(`${sig}==`, "base64"),
    );
    const spellings = [
      text.replace(`${sig}==`, `${sig.slice(0, -1)}${next}==`),
      text.replace(`${sig}==`, sig),
      text.replace(`${sig}==`, `${sig}==\\n`),
      text.replace(":", ": "),
      text.trimEnd(),
      `${text}\n`,
      `\ufeff${text}`,
      text.replace('"payloadType"', '"payload\\u0054ype"'),
      text.replace("{", '{"payload":"e30=",'),
    ];
    for (const spelling of spellings) {
      expect(spelling).not.toBe(text);
      writeFileSync(fileOf(at(1)), spelling);
      expect(verifyReceipt(at(1), place), spelling.slice(0, 40)).toMatchObject({ kind: "invalid" });
    }
  });

  test("16. a field more: in hook.json, in the envelope, in a certificate, in the statement", () => {
    expect(() => decodeReceipt({ ...encodeReceipt(at(1)), verified: true })).toThrow("verified");
    const text = files[1]?.toString() ?? "";
    for (const extra of [
      text.replace("{", '{"verified":true,'),
      text.replace('"keyid"', '"cert":"","keyid"'),
    ]) {
      writeFileSync(fileOf(at(1)), extra);
      expect(verifyReceipt(at(1), place)).toMatchObject({ kind: "invalid" });
    }
    const { file } = opened(1);
    const json = JSON.parse(file.statement.payload.toString()) as { predicate: object };
    const others = [
      { ...json, predicate: { ...json.predicate, verified: true } },
      { ...json, verified: true },
      { ...json, subject: [{ name: "tree", digest: { gitTree: "f".repeat(40) } }] },
    ];
    const key = deriveNode(seedOf(place), stepsTo(0, 0, 1)).privateKey;
    for (const other of others) {
      const payload = Buffer.from(JSON.stringify(other));
      const statement = seal(key, STATEMENT_TYPE, payload);
      writeFileSync(fileOf(at(1)), encodeReceiptFile({ ...file, statement }));
      const signature = statement.signature.toString("hex");
      expect(verifyReceipt(changed(at(1), { signature }), place)).toMatchObject({
        kind: "invalid",
      });
    }
  });

  test("a number that its place in the chain does not have, though the key signed it", () => {
    const list = plant(0, issue(0, { keys: [0, 5], statement: { sequence: 5 } }));
    expect(verifyReceipt(list[0] ?? at(0), place).kind).toBe("valid");
    expect(chain(list.slice(0, 1), []).problems).toEqual([
      { receiptId: at(0).receiptId, reason: "it is not receipt 0 of the chain" },
    ]);
  });

  test("a planted receipt that would be next is not taken for one of a crash", () => {
    const other = aPlace();
    const first = other.sign();
    const { file, statement } = openedBytes(other.file(first.receipt));
    const payload = encodeStatement({
      ...statement,
      receiptId: "planted",
      sequence: 1,
      previousSha256: first.head.sha256,
    });
    const planted = { ...file, statement: seal(Buffer.alloc(32, 9), STATEMENT_TYPE, payload) };
    writeFileSync(receiptPaths(other.dir, "planted").envelope, encodeReceiptFile(planted));
    expect(other.sign().receipt.keyPath).toBe("m/44'/236'/0'/0'/1'");
    other.remove();
  });

  test("two receipts' files in each other's place", () => {
    copyFileSync(fileOf(at(0)), `${fileOf(at(0))}.tmp`);
    copyFileSync(fileOf(at(3)), fileOf(at(0)));
    copyFileSync(`${fileOf(at(0))}.tmp`, fileOf(at(3)));
    rmSync(`${fileOf(at(0))}.tmp`);
    expect(kindOf(receipts, [])).toBe("invalid");
  });

  test("a head that was edited, or is another task's, is refused", () => {
    const other = aPlace();
    other.sign();
    const dir = join(other.keys.dir, "heads");
    const names = readdirSync(dir);
    other.sign({ taskId: "other" });
    const [theirs = ""] = readdirSync(dir).filter((name) => !names.includes(name));
    const expectRefusal = (text: string) => {
      for (const name of names) writeFileSync(join(dir, name), text);
      expect(() => other.keys.head(other.task)).toThrow(
        expect.objectContaining({ code: "ERR_DAMAGED" }),
      );
      expect(() => other.sign()).toThrow("signing receipt: ");
    };
    const own = readFileSync(join(dir, names[0] ?? ""), "utf8");
    expectRefusal(own.replace('"count": 1', '"count": 2'));
    expectRefusal(own.replace(other.task.taskId, "another"));
    expectRefusal(readFileSync(join(dir, theirs), "utf8"));
    const path = join(dir, names.find((name) => name.endsWith(".json")) ?? "");
    expect(() => other.sign()).toThrow(`remove ${path}*`);
    for (const name of names) rmSync(join(dir, name));
    expect(other.sign().head.count).toBe(2);
    other.remove();
  });
});

test("each receipt removed, doubled, or swapped with another is found", () => {
  const places = receipts.map((_, index) => index);
  for (const i of places) {
    expect(chain(receipts.toSpliced(i, 1)).kind, `without ${i}`).toBe("invalid");
    for (const j of places) {
      expect(chain(receipts.toSpliced(j, 0, at(i)), []).kind, `${i} again at ${j}`).toBe("invalid");
      if (i < j) expect(chain(receipts.with(i, at(j)).with(j, at(i)), []).kind).toBe("invalid");
    }
  }
});

test("a member that nothing signs makes our receipt invalid", () => {
  const receipt = { ...at(0), verified_by: "somebody" };
  expect(verifyReceipt(receipt, place)).toMatchObject({
    kind: "invalid",
    reason: 'its "verified_by" is not what was signed',
  });
});
