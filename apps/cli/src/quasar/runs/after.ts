/** Something that comes first, where there is it, and others as they come. */
export async function* after<T>(
  first: T | undefined,
  others: AsyncIterable<T>,
): AsyncGenerator<T, undefined> {
  if (first !== undefined) yield first;
  yield* others;
}
