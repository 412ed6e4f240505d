import { Buffer } from "node:buffer";
import * as crypto from "node:crypto";

/** DER around a raw key: RFC 8410, section 7 and section 4. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

/** The public key of a private one; both 32 bytes. */
export function publicKeyOf(privateKey: Uint8Array): Buffer {
  const key = crypto.createPublicKey(privateKeyObject(privateKey));
  return key.export({ format: "der", type: "spki" }).subarray(SPKI.length);
}

/** Ed25519 of RFC 8032: 64 bytes, the same each time. */
export function sign(privateKey: Uint8Array, message: Uint8Array): Buffer {
  return crypto.sign(null, message, privateKeyObject(privateKey));
}

/** Whether a signature of 64 bytes fits; never throws at what it is given to check. */
export function isSignature(
  signature: Uint8Array,
  publicKey: Uint8Array,
  message: Uint8Array,
): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  return crypto.verify(null, message, publicKeyObject(publicKey), signature);
}

/** First 16 hex digits of the SHA-256 of a public key. */
export function keyIdOf(publicKey: Uint8Array): string {
  return crypto.hash("sha256", publicKey).slice(0, 16);
}

export function publicKeyObject(publicKey: Uint8Array): crypto.KeyObject {
  const der = Buffer.concat([SPKI, publicKey]);
  return crypto.createPublicKey({ key: der, format: "der", type: "spki" });
}

function privateKeyObject(privateKey: Uint8Array): crypto.KeyObject {
  const der = Buffer.concat([PKCS8, privateKey]);
  return crypto.createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}
