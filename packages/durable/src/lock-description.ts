import { DurableError } from "./errors.ts";
import { type ProcessIdentity, parseIdentity } from "@quasar/process";
import { readWholeFile } from "./read.ts";
import { removeFile } from "./remove.ts";
import { replaceFile } from "./replace.ts";

/** What stands beside a lock file about its holder. */
export interface LockDescription {
  readonly owner: ProcessIdentity;
  /** Of the lock file, absolute; `undefined` where an older release has written it. */
  readonly path: string | undefined;
}

/** `undefined` where there is none, or none that can be read. */
export function describedOwner(file: string): LockDescription | undefined {
  let stored: unknown;
  try {
    const bytes = readWholeFile(pathOf(file), { maxBytes: 4096 }) ?? [];
    stored = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined; // that the lock is held is the answer
  }
  const owner = parseIdentity(stored);
  if (owner === undefined) return undefined;
  const { path } = stored as { readonly path?: unknown };
  return { owner, path: typeof path === "string" ? path : undefined };
}

/**
 * Of no weight for the lock: where it cannot be written, the lock is the same. That of an earlier holder goes
 * then: it would say that nobody has had the lock since.
 */
export function describeOwner(file: string, owner: ProcessIdentity): void {
  const text = `${JSON.stringify({ ...owner, path: file }, undefined, 2)}\n`;
  const isWritten = tolerant(() =>
    replaceFile(pathOf(file), Buffer.from(text), { keepPrevious: false }),
  );
  if (!isWritten) removeDescription(file);
}

export function removeDescription(file: string): void {
  tolerant(() => removeFile(pathOf(file)));
}

function tolerant(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return false;
  }
}

function pathOf(file: string): string {
  return `${file}.owner.json`;
}
