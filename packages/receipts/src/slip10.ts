import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/** An Ed25519 private key and what its children are derived with; 32 bytes each. */
export interface KeyNode {
  readonly privateKey: Buffer;
  readonly chainCode: Buffer;
}

const HARDENED = 0x80000000;

/**
 * Derives a key as SLIP-0010 says for ed25519, where every step is hardened.
 *
 * @param indexes - Of the steps from the master on, each less than 2^31, without the hardening bit.
 */
export function deriveNode(seed: Uint8Array, indexes: readonly number[]): KeyNode {
  return indexes.reduce(childOf, split("ed25519 seed", seed));
}

function childOf({ privateKey, chainCode }: KeyNode, index: number): KeyNode {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index + HARDENED);
  return split(chainCode, Buffer.concat([Buffer.of(0), privateKey, number]));
}

function split(key: string | Uint8Array, data: Uint8Array): KeyNode {
  const digest = createHmac("sha512", key).update(data).digest();
  return { privateKey: digest.subarray(0, 32), chainCode: digest.subarray(32) };
}
