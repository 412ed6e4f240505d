import { Buffer } from "node:buffer";
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { CheckpointError } from "./errors.ts";

/** What a seal's MAC vouches for beside the bytes, so that none can be moved to another place. */
export interface SealSubject {
  readonly repositoryId: string;
  readonly runId: string;
  readonly phaseId: string;
  readonly revision: number;
}

/** A file's bytes, whole, without the seal; and the seal's digest and MAC where it has one. */
export interface Unsealed {
  readonly body: Buffer;
  readonly seal: { readonly sha256: string; readonly mac: string | undefined } | undefined;
}

const MARK = "# quasar:v1 ";
const line = /^# quasar:v1 len=(\d{1,16}) sha256=([0-9a-f]{64})(?: mac=([0-9a-f]{64}))?\n$/;

/** More bytes than a seal ever has. */
export const MAX_SEAL_BYTES = 200;

/** Used again and again: fresh memory costs a save more than what is written to it. */
let scratch = Buffer.alloc(0);

/**
 * A text in bytes, with its seal as the last line: a comment to every TOML reader. The bytes are
 * good until the next call.
 *
 * @see SPEC.md, "Seal"
 */
export function sealText(
  text: readonly string[],
  key: Uint8Array | undefined,
  subject: SealSubject,
): Buffer {
  const room = text.reduce((sum, part) => sum + part.length * 3, MAX_SEAL_BYTES);
  if (scratch.length < room) scratch = Buffer.allocUnsafeSlow(room);
  let length = 0;
  for (const part of text) length += scratch.write(part, length);
  const sha256 = hash("sha256", scratch.subarray(0, length));
  const mac = key === undefined ? "" : ` mac=${macOf(sha256, key, subject).toString("hex")}`;
  const end = length + scratch.write(`${MARK}len=${length} sha256=${sha256}${mac}\n`, length);
  return scratch.subarray(0, end);
}

/**
 * Takes the seal off.
 *
 * @throws {CheckpointError} `ERR_DAMAGED` where the seal does not fit the bytes.
 */
export function unseal(bytes: Buffer): Unsealed {
  const start = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
  const last = bytes.toString("latin1", start, start + MAX_SEAL_BYTES);
  if (!last.startsWith(MARK)) return { body: bytes, seal: undefined };

  const body = bytes.subarray(0, start);
  const [, length, sha256, mac] = line.exec(last) ?? [];
  if (sha256 === undefined || start + last.length !== bytes.length) throw damaged("is not whole");
  if (Number(length) !== start) throw damaged(`is of ${length} bytes, there are ${start}`);
  if (hash("sha256", body) !== sha256) throw damaged("does not fit the bytes");
  return { body, seal: { sha256, mac } };
}

/** Whether a MAC was made with this key, for this subject. */
export function isMac(mac: string, sha256: string, key: Uint8Array, subject: SealSubject): boolean {
  return timingSafeEqual(Buffer.from(mac, "hex"), macOf(sha256, key, subject));
}

function macOf(sha256: string, key: Uint8Array, subject: SealSubject): Buffer {
  const { repositoryId, runId, phaseId, revision } = subject;
  const parts = ["quasar:v1", sha256, repositoryId, runId, phaseId, revision];
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest();
}

function damaged(how: string): CheckpointError {
  return new CheckpointError("ERR_DAMAGED", `its seal ${how}`);
}
