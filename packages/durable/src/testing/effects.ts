/** Number of the root folder on every simulated disk. */
export const ROOT = 1;

/** `name` in folder `dir` becomes `ino`, 0 being nothing. */
export interface NameChange {
  readonly dir: number;
  readonly name: string;
  readonly ino: number;
}

/** One thing that a call changes, and a crash may keep or undo. */
export type Effect =
  /** A folder without entries, named by the effect that follows. */
  | { readonly type: "folder"; readonly ino: number }
  /** Two changes or more are one rename; `over`: of a file over another. */
  | { readonly type: "names"; readonly changes: readonly NameChange[]; readonly over: boolean }
  | {
      readonly type: "data";
      readonly ino: number;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly type: "truncate"; readonly ino: number }
  /** A failed one makes nothing durable, and may have the system take what it had for clean. */
  | { readonly type: "sync"; readonly ino: number; readonly failed: boolean };

/** What a disk holds: folders by number, files by number. */
export interface Image {
  readonly names: ReadonlyMap<number, ReadonlyMap<string, number>>;
  readonly files: ReadonlyMap<number, Uint8Array>;
}

export const EMPTY_IMAGE: Image = { names: new Map([[ROOT, new Map()]]), files: new Map() };

/** `bytes` with `change` at `offset`, growing where it has to. */
export function patched(bytes: Uint8Array, offset: number, change: Uint8Array): Uint8Array {
  const result = new Uint8Array(Math.max(bytes.length, offset + change.length));
  result.set(bytes);
  result.set(change, offset);
  return result;
}
