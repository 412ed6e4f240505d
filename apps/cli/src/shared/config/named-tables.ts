/** A table of TOML. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

/**
 * Tables by name, such as `[agent.<name>]`; `undefined` where one of them, its name or their number is not as it should be.
 *
 * @param read - Reads what a name has; `undefined`: it is not as it should be.
 */
export function namedTables<T>(
  value: unknown,
  { name: allowed, most }: { readonly name: RegExp; readonly most: number },
  read: (value: unknown) => T | undefined,
): Readonly<Record<string, T>> | undefined {
  if (!isTable(value)) return undefined;
  const all = Object.entries(value).map(([name, each]) => [name, read(each)] as const);
  const good = all.filter(
    (entry): entry is [string, T] => allowed.test(entry[0]) && entry[1] !== undefined,
  );
  return good.length === all.length && good.length <= most ? Object.fromEntries(good) : undefined;
}
