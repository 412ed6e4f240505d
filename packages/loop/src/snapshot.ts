/**
 * A deep copy of plain data that nobody can change. What is neither a list nor a plain object (a
 * date) is passed on as it is.
 */
export function snapshot<T>(value: T): T {
  return copy(value) as T;
}

/** Copies made here: as nobody can change them, they need no copy. Most of a state is as it was before. */
const made = new WeakSet<object>();

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return made.has(value) ? value : kept(value.map(copy));
  if (!isPlain(value) || made.has(value)) return value;
  const copied = { ...value };
  for (const key of Object.keys(copied)) copied[key] = copy(copied[key]);
  return kept(copied);
}

function kept(copied: object): object {
  made.add(Object.freeze(copied));
  return copied;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
