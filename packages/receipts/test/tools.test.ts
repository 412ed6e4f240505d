import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { preAuthentication } from "../src/dsse.ts";
import { isSignature, keyIdOf, publicKeyOf, sign } from "../src/ed25519.ts";
import { exportPublicKeys, pinKeys, type PublicKeyTexts } from "../src/entries/keys.ts";
import { stepsTo } from "../src/key-path.ts";
import { decodeReceiptFile } from "../src/receipt-file.ts";
import { deriveNode } from "../src/slip10.ts";
import { aPlace, type Place } from "./fixtures.ts";

let place: Place;
let privateKey: Buffer;
let message: Buffer;
let receiptSignature: Buffer;
beforeAll(() => {
  place = aPlace();
  const { receipt } = place.sign();
  const { statement } = decodeReceiptFile(place.file(receipt));
  message = preAuthentication(statement.payloadType, statement.payload);
  receiptSignature = statement.signature;
  const seed = readFileSync(join(place.keys.dir, "master.key"), "utf8").trim();
  privateKey = deriveNode(Buffer.from(seed, "hex"), stepsTo(0, 0, 0)).privateKey;
});
afterAll(() => place.remove());

const isHere = (tool: string): boolean => spawnSync(tool, ["-h"]).error === undefined;

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(place.root, name);
  writeFileSync(path, content);
  return path;
}

const succeeds = (tool: string, args: readonly string[], input = ""): boolean =>
  spawnSync(tool, args, { input }).status === 0;

const lengthOf = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
};
const strings = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part as string);
      return [lengthOf(bytes), bytes];
    }),
  );

/** What ssh-keygen says of a signature over what it signs for a message. */
interface Tool {
  readonly name: string;
  /** What the tool signs for a message. */
  readonly signed: (message: Uint8Array) => Uint8Array;
  readonly accepts: (key: PublicKeyTexts, message: Buffer, signature: Uint8Array) => boolean;
}

const NAMESPACE = "quasar-receipt";

const TOOLS: readonly Tool[] = [
  {
    name: "ssh-keygen",
    signed: (message) => {
      const digest = createHash("sha512").update(message).digest();
      return Buffer.concat([Buffer.from("SSHSIG"), strings(NAMESPACE, "", "sha512", digest)]);
    },
    accepts: (key, message, signature) => {
      const blob = Buffer.from(key.ssh.split(" ")[1] ?? "", "base64");
      const body = Buffer.concat([
        Buffer.from("SSHSIG\0\0\0\u0001"),
        strings(blob, NAMESPACE, "", "sha512", strings("ssh-ed25519", signature)),
      ]).toString("base64");
      const armored = `-----BEGIN SSH SIGNATURE-----\n${body}\n-----END SSH SIGNATURE-----\n`;
      const signers = fileOf("allowed_signers", `${key.allowedSigners}\n`);
      const identity = `quasar-${key.keyId}`;
      const args = ["-Y", "verify", "-f", signers, "-I", identity, "-n", NAMESPACE, "-s"];
      const input = message.toString("latin1"); // what is signed here is ASCII
      return succeeds("ssh-keygen", [...args, fileOf("ssh.sig", armored)], input);
    },
  },
  {
    name: "minisign",
    signed: (message) => message,
    accepts: (key, message, signature) => {
      const number = Buffer.from(key.keyId, "hex");
      const comment = "timestamp:0";
      const all = sign(privateKey, Buffer.concat([signature, Buffer.from(comment)]));
      const line = Buffer.concat([Buffer.from("Ed"), number, signature]).toString("base64");
      const text = `untrusted comment: x\n${line}\ntrusted comment: ${comment}\n${all.toString("base64")}\n`;
      const pub = fileOf("minisign.pub", key.minisign);
      const args = ["-V", "-p", pub, "-m", fileOf("message", message), "-x"];
      return succeeds("minisign", [...args, fileOf("message.minisig", text)]);
    },
  },
  {
    name: "openssl",
    signed: (message) => message,
    accepts: (key, message, signature) => {
      const files = ["-inkey", fileOf("key.pem", key.pem), "-in", fileOf("message", message)];
      const args = ["pkeyutl", "-verify", "-pubin", "-rawin", ...files, "-sigfile"];
      return succeeds("openssl", [...args, fileOf("message.sig", signature)]);
    },
  },
];

for (const { name, signed, accepts } of TOOLS) {
  test.skipIf(!isHere(name))(`${name} agrees with our verifier on what it accepts`, () => {
    const keyTexts = (publicKey: Uint8Array): PublicKeyTexts => {
      const account = { keyId: keyIdOf(publicKey), publicKey, retired: false };
      return exportPublicKeys({ accounts: () => [account] })[0] ?? expect.fail();
    };
    const key = publicKeyOf(privateKey);
    const otherKey = publicKeyOf(Buffer.alloc(32, 1));
    const signature = sign(privateKey, signed(message));
    const flipped = (bytes: Buffer, at: number): Buffer => {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1;
      return copy;
    };
    const attempts = [
      [key, message, signature, true],
      [key, flipped(message, 40), signature, false],
      [key, message, flipped(signature, 0), false],
      [key, message, flipped(signature, 32), false],
      [otherKey, message, signature, false],
    ] as const;
    for (const [publicKey, text, bytes, expected] of attempts) {
      expect(isSignature(bytes, publicKey, signed(text))).toBe(expected);
      expect(accepts(keyTexts(publicKey), text, bytes)).toBe(expected);
    }
  });
}

test("what openssl and minisign agree on is a receipt's own signature", () => {
  expect(sign(privateKey, message)).toEqual(receiptSignature);
});

test("public keys are pinned from any form that is exported", () => {
  const [exported] = exportPublicKeys(place.keys);
  const [account] = place.keys.accounts();
  const { pem = "", ssh = "", allowedSigners = "" } = exported ?? {};
  for (const text of [pem, ssh, allowedSigners, `${ssh}\n`]) {
    expect(pinKeys([text]).accounts()).toEqual([account]);
  }
  for (const bad of ["", "ssh-ed25519 AAAA", ssh.replace("AAAAC3", "AAAAC4"), "ssh-rsa AAAAB3Nz"]) {
    expect(() => pinKeys([bad])).toThrow(expect.objectContaining({ code: "ERR_DAMAGED_KEY" }));
  }
});
