import type { CliError } from "../shared/errors.ts";
import { translate as translateShared } from "../shared/translate.ts";
import { stepsInWords } from "./next-steps.ts";

/** Says a library's error in the words of `quasar`, with what to do about it. */
export function translate(error: unknown): CliError {
  return translateShared(error, { stepsInWords, start: "quasar run" });
}
