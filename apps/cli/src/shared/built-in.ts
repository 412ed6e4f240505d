// What every command line has beside its specification: for the parser, and for completion.

export const HELP = ["-h, --help", "show help"] as const;
export const HELP_COMMAND = ["help [command]", "show help for a command"] as const;
export const VERSION = ["-V, --version", "print the version"] as const;

/** @param what - What `--json` prints, where the command's specification says so. */
export function jsonFlag(
  what: string = "machine-readable output on standard output",
): readonly [typed: string, what: string] {
  return ["--json", what];
}
