import type { ExitCode } from "../exit-codes.ts";

/** Version of the JSON lines. New keys and types may come within it; none go or change. */
export const JSON_VERSION = 1;

/** The line of `--json` that says what came of a command, and what is next. */
export function result<const Type extends string, Facts extends object>(
  type: Type,
  facts: Facts & { readonly exit?: never; readonly next?: never },
  exit: ExitCode,
  next: readonly string[] = [],
) {
  const given: Facts = facts;
  return Object.assign({ v: JSON_VERSION, type } as const, given, { exit, next });
}
