import { Buffer } from "node:buffer";
import { createPublicKey } from "node:crypto";
import { keyIdOf, publicKeyObject } from "./ed25519.ts";
import { ReceiptError } from "./errors.ts";

/** An account's key, by which all receipts below it are judged. */
export interface AccountKey {
  /** First 16 hex digits of the SHA-256 of the public key. */
  readonly keyId: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** No new receipts are signed below it. */
  readonly retired: boolean;
}

/** The keys to verify with. Reading them never creates any. */
export interface KeyRing {
  accounts(): readonly AccountKey[];
  /**
   * The public key at a path below the master key, for receipts of the seed's format; `undefined`
   * where the master key is not here, or is not the one of the account `keyId`.
   */
  publicKeyAt?(keyPath: string, keyId?: string): Uint8Array | undefined;
}

/** A public key as other programs read it. */
export interface PublicKeyTexts {
  readonly keyId: string;
  readonly retired: boolean;
  /** SPKI, for OpenSSL. */
  readonly pem: string;
  /** A line of `ssh-ed25519`; what {@link pinKeys} takes. */
  readonly ssh: string;
  /** A line of an `allowed_signers` file, for `ssh-keygen -Y verify`. */
  readonly allowedSigners: string;
  /** A public key file of minisign. */
  readonly minisign: string;
}

/** The public keys of a ring, to give away: those that sign first, then the retired. */
export function exportPublicKeys(keys: KeyRing): readonly PublicKeyTexts[] {
  return keys.accounts().map(({ keyId, publicKey, retired }) => {
    const ssh = sshLine(publicKey);
    const number = Buffer.from(keyId, "hex");
    const minisign = Buffer.concat([Buffer.from("Ed"), number, publicKey]).toString("base64");
    return {
      keyId,
      retired,
      pem: publicKeyObject(publicKey).export({ format: "pem", type: "spki" }).toString(),
      ssh,
      allowedSigners: `${nameOf(keyId)} namespaces="quasar-receipt" ${ssh}`,
      minisign: `untrusted comment: ${nameOf(keyId)}\n${minisign}\n`,
    };
  });
}

/**
 * Keys that are trusted because the caller says so: in CI, without any private key.
 *
 * @param texts - Each a PEM, or a line that has `ssh-ed25519 <base64>` in it.
 * @throws {ReceiptError} `ERR_DAMAGED_KEY`
 */
export function pinKeys(texts: readonly string[]): KeyRing {
  const accounts = texts.map((text) => {
    const publicKey = parsePublicKey(text);
    return { keyId: keyIdOf(publicKey), publicKey, retired: false };
  });
  return { accounts: () => accounts };
}

/** @throws {ReceiptError} `ERR_DAMAGED_KEY` */
export function parsePublicKey(text: string): Uint8Array {
  const blob = /\bssh-ed25519 ([A-Za-z0-9+/]+={0,2})(?:\s|$)/.exec(text)?.[1];
  const der = blob === undefined ? derOf(text) : Buffer.from(blob, "base64");
  const publicKey = der.subarray(-32);
  const again = blob === undefined ? publicKeyObject(publicKey).export(SPKI) : sshBlob(publicKey);
  if (again.equals(der)) return publicKey;
  throw new ReceiptError("ERR_DAMAGED_KEY", "it is no public key of Ed25519");
}

export function sshLine(publicKey: Uint8Array): string {
  return `ssh-ed25519 ${sshBlob(publicKey).toString("base64")} ${nameOf(keyIdOf(publicKey))}`;
}

const SPKI = { format: "der", type: "spki" } as const;

const nameOf = (keyId: string): string => `quasar-${keyId}`;

function derOf(pem: string): Buffer {
  try {
    return createPublicKey(pem).export(SPKI);
  } catch (error) {
    throw new ReceiptError("ERR_DAMAGED_KEY", "it is no public key", { cause: error });
  }
}

function sshBlob(publicKey: Uint8Array): Buffer {
  const parts = [Buffer.from("ssh-ed25519"), publicKey].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return Buffer.concat(parts);
}
