import { type Effect, type Image, type NameChange, patched } from "./effects.ts";

/**
 * What a crash may leave, from the kindest to the harshest.
 *
 * @see SPEC.md, "Persistence models"
 */
export const PERSISTENCE_MODELS = ["kill", "ext4", "ext4-nda", "posix", "nonatomic"] as const;

export type PersistenceModel = (typeof PERSISTENCE_MODELS)[number];

/** Follows the effects of processes, and knows what a crash would leave now. */
export interface Tracker {
  readonly apply: (effect: Effect) => void;
  /**
   * Calls `emit` with every image that a crash may leave now, each once; where there are more than
   * `limit`, with about that many that `choose` picks. Returns whether it was every one.
   */
  readonly images: (
    emit: (image: Image, key: string) => void,
    limit: number,
    choose: Choose,
  ) => boolean;
}

type Choose = (count: number) => number;

/** Changes of names that a crash keeps or undoes together. */
interface Unit {
  readonly changes: readonly NameChange[];
  /** With `auto_da_alloc`, what a rename over a file writes first: the file, and how many changes. */
  readonly flushes: { readonly ino: number; readonly count: number } | undefined;
}

interface Write {
  readonly offset: number;
  /** `undefined`: the file is cut to nothing. */
  readonly bytes: Uint8Array | undefined;
  /** A sync of it failed: no later sync is trusted to write it. */
  readonly isLost: boolean;
}

interface FileState {
  durable: Uint8Array;
  pending: readonly Write[];
  /** What `pending` may look like on disk; computed when asked for. */
  variants: readonly Content[] | undefined;
}

/** Bytes, and a number that equal bytes share. */
interface Content {
  readonly id: number;
  readonly bytes: Uint8Array;
}

export type Interner = (bytes: Uint8Array) => Content;

/** Gives equal bytes equal numbers; one for all trackers whose images are compared. */
export function createInterner(): Interner {
  const known = new Map<string, Content>();
  return (bytes) => {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    const content = known.get(key) ?? { id: known.size, bytes };
    known.set(key, content);
    return content;
  };
}

export function createTracker(model: PersistenceModel, start: Image, intern: Interner): Tracker {
  const names = new Map([...start.names].map(([dir, entries]) => [dir, new Map(entries)] as const));
  const files = new Map<number, FileState>();
  for (const [ino, durable] of start.files)
    files.set(ino, { durable, pending: [], variants: undefined });
  let units: readonly Unit[] = [];
  const isJournaled = model === "ext4" || model === "ext4-nda";

  const fileOf = (ino: number): FileState => {
    const known = files.get(ino);
    if (known !== undefined) return known;
    const state: FileState = { durable: new Uint8Array(), pending: [], variants: undefined };
    files.set(ino, state);
    return state;
  };

  const write = (ino: number, change: Omit<Write, "isLost">): void => {
    const file = fileOf(ino);
    file.variants = undefined;
    if (model === "kill") file.durable = applied(file.durable, [change]);
    else file.pending = [...file.pending, { ...change, isLost: false }];
  };

  const commitNames = (isCommitted: (change: NameChange) => boolean): void => {
    for (const change of units.flatMap((unit) => unit.changes).filter(isCommitted)) {
      names.set(change.dir, new Map(names.get(change.dir))); // images share the old one
      setName(names, change);
    }
    units = units
      .map((unit) => ({ ...unit, changes: unit.changes.filter((change) => !isCommitted(change)) }))
      .filter((unit) => unit.changes.length > 0);
  };

  const sync = (ino: number): void => {
    const file = files.get(ino);
    if (file !== undefined) {
      file.durable = applied(
        file.durable,
        file.pending.filter((change) => !change.isLost),
      );
      // What was lost may still have reached the disk; where it did, the same bytes are there.
      file.pending = file.pending.filter((change) => change.isLost);
      file.variants = undefined;
    }
    if (isJournaled) commitNames(() => true);
    else if (names.has(ino)) commitNames((change) => change.dir === ino);
  };

  /** Of a file: its pages count as clean. Of a folder nothing: a journal stops, or tries again. */
  const failSync = (ino: number): void => {
    const file = files.get(ino);
    if (file !== undefined) file.pending = file.pending.map((each) => ({ ...each, isLost: true }));
  };

  const changeNames = (changes: readonly NameChange[], over: boolean): void => {
    for (const { ino } of changes) if (ino !== 0 && !names.has(ino)) fileOf(ino);
    const moved = changes[0]?.ino ?? 0;
    const flushes =
      model === "ext4" && over ? { ino: moved, count: fileOf(moved).pending.length } : undefined;
    const split = model === "nonatomic" && changes.length > 1;
    const parts = split ? inHalves(changes, over) : [changes];
    const added = parts.map((part) => ({ changes: part, flushes }));
    units = [...units, ...added];
    if (model === "kill") commitNames(() => true);
  };

  return {
    apply: (effect) => {
      switch (effect.type) {
        case "folder":
          names.set(effect.ino, new Map());
          return;
        case "names":
          return changeNames(effect.changes, effect.over);
        case "data":
          return write(effect.ino, effect);
        case "truncate":
          return write(effect.ino, { offset: 0, bytes: undefined });
        case "sync":
          return effect.failed ? failSync(effect.ino) : sync(effect.ino);
      }
    },
    images: (emit, limit, choose) => {
      const variantsOf = (ino: number): readonly Content[] => {
        const file = fileOf(ino);
        file.variants ??= (isJournaled ? prefixes(file) : everyTear(file)).map(intern);
        return file.variants;
      };
      const countOfNames = isJournaled ? units.length + 1 : 2 ** units.length;
      const isExhaustive = countOfNames <= limit;
      let complete = isExhaustive;
      const seen = new Set<string>();
      const emitOnce = (image: Image, key: string): void => {
        if (seen.has(key)) return;
        seen.add(key);
        emit(image, key);
      };
      const share = Math.max(1, Math.floor(limit / countOfNames));
      for (let index = 0; index < Math.min(countOfNames, limit); index += 1) {
        const pick = isExhaustive ? index : choose(countOfNames);
        const kept = units.filter((_, at) =>
          isJournaled ? at < pick : Math.floor(pick / 2 ** at) % 2 === 1,
        );
        const tree = withNames(names, kept);
        const options = tree.files.map((ino): readonly Content[] => {
          const all = variantsOf(ino);
          const flushed = kept.findLast((unit) => unit.flushes?.ino === ino)?.flushes;
          return flushed === undefined ? all : all.slice(flushed.count);
        });
        if (!emitContents(tree, options, share, choose, emitOnce)) complete = false;
      }
      return complete;
    },
  };
}

interface Tree {
  readonly names: ReadonlyMap<number, ReadonlyMap<string, number>>;
  /** Files that have a name. */
  readonly files: readonly number[];
  readonly key: string;
}

/** The folders with the changes of `units` made, as far as they can be reached from the root. */
function withNames(base: ReadonlyMap<number, Map<string, number>>, units: readonly Unit[]): Tree {
  const names = new Map(base);
  const copied = new Set<number>();
  for (const unit of units) {
    for (const change of unit.changes) {
      if (!copied.has(change.dir)) {
        copied.add(change.dir);
        names.set(change.dir, new Map(names.get(change.dir)));
      }
      setName(names, change);
    }
  }
  // A folder whose own entry is lost is lost with all that is in it.
  const reached = new Map<number, ReadonlyMap<string, number>>();
  const files = new Set<number>();
  const words: string[] = [];
  const visit = (dir: number, entries: ReadonlyMap<string, number>): void => {
    reached.set(dir, entries);
    words.push(`${dir}:`);
    for (const name of [...entries.keys()].sort()) {
      const ino = entries.get(name) ?? 0;
      words.push(`${name}=${ino}`);
    }
    for (const ino of entries.values()) {
      if (reached.has(ino) || files.has(ino)) continue;
      const inner = names.get(ino);
      if (inner !== undefined) visit(ino, inner);
      else files.add(ino);
    }
  };
  visit(1, names.get(1) ?? new Map());
  return { names: reached, files: [...files].sort((a, b) => a - b), key: words.join("/") };
}

function setName(names: Map<number, Map<string, number>>, change: NameChange): void {
  const entries = names.get(change.dir) ?? new Map<string, number>();
  names.set(change.dir, entries);
  if (change.ino === 0) entries.delete(change.name);
  else entries.set(change.name, change.ino);
}

/** A rename that is not atomic: the old target goes, the new one comes, the source goes. */
function inHalves(
  [target, source]: readonly NameChange[],
  over: boolean,
): readonly (readonly NameChange[])[] {
  if (target === undefined || source === undefined) return [];
  const halves = [[target], [source]];
  return over ? [[{ ...target, ino: 0 }], ...halves] : halves;
}

/** Emits every combination of what the files may hold, or about `limit` of them. */
function emitContents(
  tree: Tree,
  options: readonly (readonly Content[])[],
  limit: number,
  choose: Choose,
  emit: (image: Image, key: string) => void,
): boolean {
  const count = options.reduce((product, each) => product * each.length, 1);
  for (let index = 0; index < Math.min(count, limit); index += 1) {
    let rest = count <= limit ? index : choose(count);
    const files = new Map<number, Uint8Array>();
    let key = tree.key;
    for (const [at, each] of options.entries()) {
      const content = each[rest % each.length];
      rest = Math.floor(rest / each.length);
      if (content === undefined) continue;
      files.set(tree.files[at] ?? 0, content.bytes);
      key += `|${content.id}`;
    }
    emit({ names: tree.names, files }, key);
  }
  return count <= limit;
}

type Change = Pick<Write, "offset" | "bytes">;

function applied(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  return changes.reduce(
    (at, change) =>
      change.bytes === undefined ? new Uint8Array() : patched(at, change.offset, change.bytes),
    bytes,
  );
}

/** Ordered mode: the size follows the data, so that only the first changes are there. */
function prefixes({ durable, pending }: FileState): readonly Uint8Array[] {
  return Array.from({ length: pending.length + 1 }, (_, count) =>
    applied(durable, pending.slice(0, count)),
  );
}

/**
 * Any size that the file had, with each change written, missing (zeros, or what was there before) or
 * garbage. Of more than five changes only one at a time is not written, the last one or with all others.
 */
function everyTear({ durable, pending }: FileState): readonly Uint8Array[] {
  const isMany = pending.length > 5;
  let complete: Uint8Array = durable;
  let states: readonly Uint8Array[] = [durable];
  const all: Uint8Array[] = [durable];
  for (const [at, change] of pending.entries()) {
    const base = isMany ? [complete] : states;
    const torn = base.flatMap((bytes) => unwritten(bytes, change));
    states = [...base.map((bytes) => applied(bytes, [change])), ...torn];
    complete = applied(complete, [change]);
    all.push(...states);
    if (isMany) all.push(...torn.map((bytes) => applied(bytes, pending.slice(at + 1))));
  }
  return all;
}

function unwritten(bytes: Uint8Array, { offset, bytes: written }: Change): readonly Uint8Array[] {
  if (written === undefined) return [bytes];
  const missing = new Uint8Array(written.length);
  missing.set(bytes.subarray(offset, offset + written.length));
  const garbage = new Uint8Array(written.length).fill(0xa5);
  return [patched(bytes, offset, missing), patched(bytes, offset, garbage)];
}
