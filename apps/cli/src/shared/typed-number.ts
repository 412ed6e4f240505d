import { cleanLine, fit } from "@quasar/runs/text";
import type { Kind } from "./config/kinds.ts";
import { CliError } from "./errors.ts";

/** A number that is typed for a flag; `undefined`: none is. @throws {CliError} `ERR_USAGE` */
export function numberOf(
  flag: string,
  value: string | undefined,
  { expected, fromText }: Kind<number>,
): number | undefined {
  if (value === undefined) return undefined;
  const number = fromText(value);
  if (number !== undefined) return number;
  const given = fit(cleanLine(value), 40);
  throw new CliError("ERR_USAGE", `${flag} must be ${expected}, not ${given}`);
}
