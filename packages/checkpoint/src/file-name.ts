import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { join } from "node:path";
import { CheckpointError } from "./errors.ts";

const plainId = /^[a-z0-9][a-z0-9._-]{0,99}$/;
const deviceId = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;
const reservedEnd = /\.(?:toml|prev|tmp|damaged-[^.]*)$/;
const control = /\p{Cc}/u;

/** Longest id that is still spelled out in a name, in bytes. */
const MAX_SPELLED = 60;
const MAX_ID_BYTES = 1024;

/**
 * Path of a phase's checkpoint: `checkpoint.<phaseId>.toml`, `checkpoint.toml` for a standalone
 * run. An id that is not plain lower-case ASCII is encoded, so that it can neither leave the folder
 * nor meet another's name on a file system that folds case.
 *
 * @throws {CheckpointError} `ERR_INVALID_CHECKPOINT` for an id with control characters, half a
 *   surrogate pair, or more than 1,024 bytes.
 * @see SPEC.md, "Names"
 */
export function checkpointPath(dir: string, phaseId: string = ""): string {
  return join(dir, checkpointFileName(phaseId));
}

export function checkpointFileName(phaseId: string): string {
  if (phaseId === "") return "checkpoint.toml";
  return `checkpoint.${idInName(phaseId)}.toml`;
}

function idInName(phaseId: string): string {
  if (plainId.test(phaseId) && !deviceId.test(phaseId) && !reservedEnd.test(phaseId)) {
    return phaseId;
  }
  const bytes = Buffer.from(phaseId);
  if (control.test(phaseId) || !phaseId.isWellFormed() || bytes.length > MAX_ID_BYTES) {
    throw new CheckpointError(
      "ERR_INVALID_CHECKPOINT",
      `no phase can be called ${JSON.stringify(phaseId.slice(0, 60))}`,
    );
  }
  if (bytes.length <= MAX_SPELLED) return `~${base32hex(bytes)}`;
  return `~~${base32hex(Buffer.from(hash("sha256", bytes), "hex"))}`;
}

/**
 * The name that the Go original gives the same phase, where that is another and stays in the
 * folder; such a file is read, never written.
 */
export function plainFileName(phaseId: string): string | undefined {
  if (phaseId === "") return undefined;
  const plain = `checkpoint.${phaseId}.toml`;
  const isSafe = !/^~|[/\\:]/.test(phaseId) && Buffer.byteLength(plain) <= 255;
  return isSafe && plain !== checkpointFileName(phaseId) ? plain : undefined;
}

function base32hex(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => Number.parseInt(group.padEnd(5, "0"), 2).toString(32))
    .join("");
}

/** Whether a file of this name may hold the checkpoint of this phase. */
export function isNameOf(name: string, phaseId: string): boolean {
  return name === checkpointFileName(phaseId) || name === plainFileName(phaseId);
}

const fileName = /^(checkpoint\.(?:.+\.)?toml)(?:\.[1-9][0-9]*\.prev)?$/s;

/** The names of the checkpoints among those of a folder, also of those of which only a generation is left. */
export function checkpointNames(names: readonly string[]): readonly string[] {
  const found = names.map((name) => fileName.exec(name)?.[1]).filter((name) => name !== undefined);
  return [...new Set(found)].toSorted();
}
