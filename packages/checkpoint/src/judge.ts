import { type Buffer, isUtf8 } from "node:buffer";
import { type ReadCheckpoint, readCheckpoint } from "./decode.ts";
import { CheckpointError } from "./errors.ts";
import { isMac, unseal } from "./seal.ts";
import type { LoadedCheckpoint } from "./store.ts";

/** What a seal is made with, and judged by. */
export interface SealOptions {
  /** Secret of this machine's user; without one, seals prove that bytes are whole, not whose they are. */
  readonly sealKey: Uint8Array | undefined;
  readonly repositoryId: string;
}

/** @throws {CheckpointError} `ERR_DAMAGED`, and what decoding throws. */
export function judgeBytes(
  bytes: Buffer,
  { sealKey, repositoryId }: SealOptions,
): Omit<ReadCheckpoint, "saysSealed"> & Pick<LoadedCheckpoint, "seal"> {
  const { body, seal } = unseal(bytes);
  if (!isUtf8(body)) throw damaged("it is not UTF-8");
  const { saysSealed, ...read } = readCheckpoint(body.toString());
  if (seal === undefined) {
    if (saysSealed) throw damaged("its seal is missing");
    return { ...read, seal: "none" };
  }
  if (sealKey === undefined) return { ...read, seal: "digest" };
  const { mac, sha256 } = seal;
  const subject = { ...read.checkpoint, repositoryId };
  const isOurs = mac !== undefined && isMac(mac, sha256, sealKey, subject);
  return { ...read, seal: isOurs ? "valid" : "foreign" };
}

function damaged(message: string): CheckpointError {
  return new CheckpointError("ERR_DAMAGED", message);
}
