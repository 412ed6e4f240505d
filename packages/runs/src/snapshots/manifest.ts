import type { SnapshotPack } from "@quasar/git/snapshots";
import { createHash } from "node:crypto";

/** What is kept beside a snapshot's pack: its facts on one line, their SHA-256 on the next. */
export function encodeManifest(snapshot: PackedSnapshot): Buffer {
  const line = `${JSON.stringify({ v: VERSION, ...snapshot })}\n`;
  return Buffer.from(`${line}${digest(line)}\n`);
}

const VERSION = 1;

type PackedSnapshot = SnapshotPack["snapshot"];
type TreeChange = PackedSnapshot["changes"][number];
type TreeEntry = NonNullable<TreeChange["base"]>;

/** @throws Where it is not whole, or not what {@link encodeManifest} writes: a file may hold anything. */
export function decodeManifest(bytes: Uint8Array): PackedSnapshot {
  const text = Buffer.from(bytes).toString();
  const line = text.slice(0, text.indexOf("\n") + 1);
  if (line === "" || text !== `${line}${digest(line)}\n`) throw new Error("it is not whole");
  const { v, ...snapshot } = JSON.parse(line) as { readonly v?: unknown };
  if (v !== VERSION || !isPackedSnapshot(snapshot)) throw new Error("it is of no known form");
  return snapshot;
}

function digest(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const MODE = /^(?:100644|100755|120000|160000)$/u;

function isPackedSnapshot(value: object): value is PackedSnapshot {
  const { n, sha, head, tree, createdAt, message, changes }: Partial<PackedSnapshot> = value;
  return (
    Number.isInteger(n) &&
    [sha, tree].every((id) => isText(id, ID)) &&
    (head === "" || isText(head, ID)) &&
    [createdAt, message].every((text) => isText(text)) &&
    Array.isArray(changes) &&
    changes.every(isChange)
  );
}

function isChange(value: unknown): value is TreeChange {
  if (typeof value !== "object" || value === null) return false;
  const { path, base, kept }: Partial<TreeChange> = value;
  return isText(path, /^[^\0]+$/u) && isEntry(base) && isEntry(kept);
}

function isEntry(value: unknown): value is TreeEntry | undefined {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  const { mode, id }: Partial<TreeEntry> = value;
  return isText(mode, MODE) && isText(id, ID);
}

function isText(value: unknown, form?: RegExp): value is string {
  return typeof value === "string" && (form?.test(value) ?? true);
}
