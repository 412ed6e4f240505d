import type { CliError } from "../errors.ts";
import type { Translate } from "../fail.ts";
import { type Finding, problem, warning } from "./finding.ts";

/** What could be had, or what stands in its way. */
export interface Tried<T> {
  readonly value: T | undefined;
  readonly findings: readonly Finding[];
}

/** Does what a run would do first, and makes a finding of its failure. */
export async function tried<T>(
  check: string,
  translate: Translate,
  act: () => T | Promise<T>,
): Promise<Tried<T>> {
  try {
    return { value: await act(), findings: [] };
  } catch (error) {
    return { value: undefined, findings: [findingOf(check, translate(error))] };
  }
}

/** A run asks what is only not trusted yet. */
function findingOf(check: string, { code, message, next }: CliError): Finding {
  const [first = ""] = message.split("\n");
  if (code === "ERR_UNTRUSTED_CONFIG") return warning(check, first.replace(/:$/u, ""), next);
  return problem(check, first, next);
}
