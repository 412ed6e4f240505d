/** What can be typed, and what it is. */
export type Candidate = readonly [text: string, what: string];

/**
 * Where the values of an argument or a flag come from: they are known, they are the shell's own completion of
 * files, or they are searched for.
 */
export type Values = readonly Candidate[] | "files" | FindValues;

/**
 * @param typed - The beginning of those that are wanted.
 * @param args - The command's arguments before it.
 */
export type FindValues = (typed: string, args: readonly string[]) => Promise<readonly Candidate[]>;

/**
 * Values of an argument by `<command> <placeholder>`, of a flag by `<command> <flag>` or `<flag>`; of both by
 * `<placeholder>` where it means the same everywhere else.
 */
export type ValuesTable = Readonly<Record<string, Values>>;

/** As many as are searched for: whoever types more of a name finds those after them. */
export const MOST = 20;

/** Known words, which say by themselves what they are. */
export function words(...texts: readonly string[]): readonly Candidate[] {
  return texts.map((text) => [text, ""]);
}
