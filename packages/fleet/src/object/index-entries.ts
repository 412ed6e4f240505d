import type { NebulaEntry } from "@quasar/nebula/port";

/** What the index keeps of a nebula. */
export interface KeptEntry extends NebulaEntry {
  /** Of the board that said so: what comes later and is older does not count. */
  readonly version: number;
}

/** The list with what a nebula says of itself. */
export function enlisted(entries: readonly KeptEntry[], entry: KeptEntry): readonly KeptEntry[] {
  const before = entries.find(({ id }) => id === entry.id);
  if (before !== undefined && before.version >= entry.version) return entries;
  return [...entries.filter((each) => each !== before), entry];
}

export function listed(entries: readonly KeptEntry[]): readonly NebulaEntry[] {
  return entries.map(({ id, name, depot, isUnfinished }) => ({ id, name, depot, isUnfinished }));
}
