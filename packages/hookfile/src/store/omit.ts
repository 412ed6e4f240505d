/** A copy without these keys. */
export function omit<T extends object, Key extends keyof T>(
  value: T,
  ...keys: Key[]
): Omit<T, Key> {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
}
