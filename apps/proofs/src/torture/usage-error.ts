/** Something that was typed means nothing. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
