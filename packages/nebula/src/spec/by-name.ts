/** Compares two names by their bytes in UTF-8, as `sort` in the C locale does: the order of a nebula's files. */
export function byName(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
