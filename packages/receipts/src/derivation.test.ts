import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { HDKey } from "micro-key-producer/slip10.js";
import { expect, test } from "vitest";
import rfc8032 from "../test/fixtures/rfc-8032.json" with { type: "json" };
import slip10 from "../test/fixtures/slip-0010-ed25519.json" with { type: "json" };
import { preAuthentication } from "./dsse.ts";
import { isSignature, publicKeyOf, sign } from "./ed25519.ts";
import { formatKeyPath, parseKeyPath, stepsTo } from "./key-path.ts";
import { deriveNode } from "./slip10.ts";

const hex = (text: string): Buffer => Buffer.from(text, "hex");

// SPEC.md, statements 115.
test.for(rfc8032)("signs and verifies as RFC 8032 does in its $name", (vector) => {
  const [privateKey, publicKey] = [hex(vector.privateKey), hex(vector.publicKey)];
  const message = hex(vector.message);
  expect(publicKeyOf(privateKey)).toEqual(publicKey);
  expect(sign(privateKey, message).toString("hex")).toBe(vector.signature);
  expect(isSignature(hex(vector.signature), publicKey, message)).toBe(true);
  expect(
    isSignature(hex(vector.signature), publicKey, Buffer.concat([message, message, hex("00")])),
  ).toBe(false);
});

test.for(slip10)("derives $path of $seed as SLIP-0010 does", ({ seed, path, ...expected }) => {
  const steps = path
    .split("/")
    .slice(1)
    .map((step) => Number.parseInt(step, 10));
  const node = deriveNode(hex(seed), steps);
  expect(node.chainCode.toString("hex")).toBe(expected.chainCode);
  expect(node.privateKey.toString("hex")).toBe(expected.privateKey);
  expect(publicKeyOf(node.privateKey).toString("hex")).toBe(expected.publicKey);
});

// SPEC.md, statements 126.
test("agrees with another implementation on keys and signatures", () => {
  for (let round = 0; round < 20; round += 1) {
    const seed = randomBytes(32);
    const numbers = [round, randomBytes(4).readUInt32BE() >>> 1, 2 ** 31 - 1 - round] as const;
    const ours = deriveNode(seed, stepsTo(...numbers));
    const theirs = HDKey.fromMasterSeed(seed).derive(formatKeyPath(...numbers));
    expect(ours.privateKey).toEqual(Buffer.from(theirs.privateKey));
    expect(publicKeyOf(ours.privateKey)).toEqual(Buffer.from(theirs.publicKeyRaw));
    const message = randomBytes(round * 7);
    const signature = sign(ours.privateKey, message);
    expect(signature).toEqual(Buffer.from(theirs.sign(message)));
    expect(theirs.verify(message, signature)).toBe(true);
  }
});

test("refuses a signature to which the group's order was added", () => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const privateKey = createHash("sha256").update("x").digest();
  const signature = sign(privateKey, hex("00"));
  const s = BigInt(`0x${Buffer.from(signature.subarray(32).toReversed()).toString("hex")}`) + order;
  const malleated = Buffer.concat([
    signature.subarray(0, 32),
    hex(s.toString(16).padStart(64, "0")).toReversed(),
  ]);
  expect(isSignature(signature, publicKeyOf(privateKey), hex("00"))).toBe(true);
  expect(isSignature(malleated, publicKeyOf(privateKey), hex("00"))).toBe(false);
});

test("signs what DSSE says: the lengths of type and payload are part of it", () => {
  const signed = preAuthentication("http://example.com/HelloWorld", Buffer.from("hello world"));
  expect(signed.toString()).toBe("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  expect(preAuthentication("ü", Buffer.from("😀")).toString()).toBe("DSSEv1 2 ü 4 😀");
});

test("writes every step hardened, and reads the seed's spelling as the same path", () => {
  expect(formatKeyPath(0, 3, 7)).toBe("m/44'/236'/0'/3'/7'");
  const path = { generation: 0, task: 3, receipt: 7 };
  expect(parseKeyPath("m/44'/236'/0'/3'/7'")).toEqual(path);
  expect(parseKeyPath("m/44'/236'/0'/3/7")).toEqual(path);
});

test.for([
  "",
  "m",
  "m/44'/236'/0'/3'",
  "m/44'/236'/0'/3'/7'/1'",
  "m/44'/60'/0'/3'/7'",
  "m/44'/236'/0'/3'/07'",
  "m/44'/236'/0'/3'/2147483648'",
  "m/44'/236'/0'/3'/-1'",
  "m/44h/236h/0h/3h/7h",
  " m/44'/236'/0'/3'/7'",
])("refuses the path %j", (path) => {
  expect(() => parseKeyPath(path)).toThrow(
    expect.objectContaining({ name: "ReceiptError", code: "ERR_INVALID_KEY_PATH" }),
  );
});
