import { CheckpointError } from "./errors.ts";
import { ARTIFACTS_KEY, LARGE_FIELDS, type LargeName } from "./fields.ts";
import type { Table } from "./table.ts";

/** Texts of which a file has an excerpt only, each with the SHA-256 of its bytes. */
export type References = ReadonlyMap<LargeName, string>;

export const NO_REFERENCES: References = new Map();

/** What an artifact is called: the SHA-256 of its bytes. */
export const artifactName: RegExp = /^[0-9a-f]{64}$/;

/** @throws {CheckpointError} `ERR_INVALID_CHECKPOINT` for what refers to no artifact of a text. */
export function readReferences(table: Table): References {
  const references = new Map<LargeName, string>();
  for (const [key, sha256] of Object.entries(table)) {
    const field = LARGE_FIELDS.find((candidate) => candidate.key === key);
    if (field === undefined || typeof sha256 !== "string" || !artifactName.test(sha256)) {
      const message = `${ARTIFACTS_KEY} names an artifact that none of its texts can have`;
      throw new CheckpointError("ERR_INVALID_CHECKPOINT", message);
    }
    references.set(field.name, sha256);
  }
  return references;
}

/** The table that is read as these references. */
export function referencesTable(references: References): Readonly<Record<string, string>> {
  const entries = LARGE_FIELDS.map(({ key, name }) => [key, references.get(name) ?? ""] as const);
  return Object.fromEntries(entries.filter(([, sha256]) => sha256 !== ""));
}
