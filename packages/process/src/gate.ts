/** Reads no more than the first line: what follows is the program's. */
const GATE = 'read -r go && exec "$0" "$@"';

/** Written to the input of a gated process before anything else: the program begins. */
export const OPEN_GATE = "\n";

/**
 * What to start in a program's place: a process that becomes the program when its gate is opened, and ends
 * if its input does before. Who has to know the process does so before the program can do anything.
 *
 * @param file - Absolute path.
 */
export function gated(
  file: string,
  args: readonly string[],
): readonly [file: string, args: readonly string[]] {
  return ["/bin/sh", ["-c", GATE, file, ...args]];
}
