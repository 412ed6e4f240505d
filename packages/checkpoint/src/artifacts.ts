import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import type { Checkpoint } from "./checkpoint.ts";
import { checkMarks, tooLarge, writeCheckpoint } from "./encode.ts";
import { CheckpointError } from "./errors.ts";
import { type Field, LARGE_FIELDS, type LargeName } from "./fields.ts";
import type { References } from "./references.ts";
import { MAX_SEAL_BYTES } from "./seal.ts";
import { cutText } from "./text.ts";

/** The folder beside the checkpoints. */
export const ARTIFACTS_DIR = "artifacts";

/** Most bytes of one text. */
export const MAX_ARTIFACT_BYTES: number = 64 * 1024 * 1024;
/** How much of it stays in the checkpoint, for those who read no artifacts. */
const EXCERPT = 500;

/** A checkpoint's text, in parts, that fits into a file, and what had to go elsewhere for it, by SHA-256. */
export interface FittingText {
  readonly text: readonly string[];
  readonly artifacts: ReadonlyMap<string, Buffer>;
}

/**
 * Moves the largest texts out until the rest fits.
 *
 * @throws {CheckpointError} `ERR_TOO_LARGE` where that does not help.
 * @see SPEC.md, "Artifacts"
 */
export function fitText(checkpoint: Checkpoint, maxBytes: number): FittingText {
  const room = maxBytes - MAX_SEAL_BYTES;
  const artifacts = new Map<string, Buffer>();
  const references = new Map<LargeName, string>();
  let reduced = checkpoint;
  let text = writeCheckpoint(reduced, true);
  for (const { name } of largestFirst(checkpoint)) {
    if (fits(text, room)) break;
    const bytes = Buffer.from(checkpoint[name]);
    if (bytes.length > MAX_ARTIFACT_BYTES) throw tooLarge(bytes.length);
    const sha256 = hash("sha256", bytes);
    artifacts.set(sha256, bytes);
    references.set(name, sha256);
    reduced = { ...reduced, [name]: excerpt(checkpoint[name], `${ARTIFACTS_DIR}/${sha256}`) };
    text = writeCheckpoint(reduced, true, references);
  }
  if (!fits(text, room)) throw tooLarge(byteLength(text));
  checkMarks(text);
  return { text, artifacts };
}

function fits(text: readonly string[], room: number): boolean {
  const units = text.reduce((sum, part) => sum + part.length, 0);
  return units * 3 <= room || (units <= room && byteLength(text) <= room);
}

function byteLength(text: readonly string[]): number {
  return text.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

function largestFirst(checkpoint: Checkpoint): readonly Field<LargeName>[] {
  return LARGE_FIELDS.toSorted((a, b) => checkpoint[b.name].length - checkpoint[a.name].length);
}

function excerpt(text: string, path: string): string {
  return `${cutText(text, EXCERPT)}\n[… ${text.length} characters in ${path}]`;
}

/**
 * Puts the texts back that were moved out.
 *
 * @param read - The bytes of the artifact with this name, `undefined` where there is none.
 * @throws {CheckpointError} `ERR_DAMAGED` where one is missing or altered.
 */
export function restoreTexts(
  checkpoint: Checkpoint,
  references: References,
  read: (sha256: string) => Uint8Array | undefined,
): Checkpoint {
  const texts: Partial<Record<LargeName, string>> = {};
  for (const [name, sha256] of references) {
    const bytes = read(sha256);
    if (bytes === undefined) throw damaged(`the artifact ${sha256} is missing`);
    if (hash("sha256", bytes) !== sha256) throw damaged(`the artifact ${sha256} was altered`);
    texts[name] = Buffer.from(bytes).toString();
  }
  return { ...checkpoint, ...texts };
}

function damaged(message: string): CheckpointError {
  return new CheckpointError("ERR_DAMAGED", message);
}
