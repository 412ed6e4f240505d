/** What a text is, for the question which words it may use. */
export type TextKind = "identifier" | "string" | "prose";

/** A piece of a file that is checked by itself. */
export interface Text {
  readonly kind: TextKind;
  /** As it stands in the file, but what is not language is blank: its length is that of the source. */
  readonly text: string;
  /** Where it begins in the file. */
  readonly start: number;
}

/** The same length of blanks; line ends stay. */
export function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}

/** A name as words: `hasExitCode`, `has_exit_code` and `has-exit-code` are "has exit code". */
export function wordsOfName(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .replaceAll(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();
}
