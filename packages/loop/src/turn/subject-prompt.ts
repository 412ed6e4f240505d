import { fence, oneLine, truncate } from "../text.ts";

/** A commit message that a git hook refused, and what was printed. */
export interface RefusedSubject {
  readonly subject: string;
  readonly output: string;
}

const MOST_OUTPUT = 3000;

/** Asks for another subject and for nothing else; `subjectGiven` reads the answer. */
export function subjectPrompt({ subject, output }: RefusedSubject): string {
  return `The changes for this task are done. A git hook of the repository refused the subject of their commit:

${fence(oneLine(subject))}

This is what was printed:

${fence(truncate(output, MOST_OUTPUT))}

Change no file. Answer with nothing but one line, a subject of at most 72 characters that the hook accepts:

COMMIT: the subject`;
}
