import { EXIT_OF } from "../errors.ts";
import type { CliErrorCode } from "../errors.ts";
import { steps, text, whole, word } from "./kinds.ts";
import { timedLine } from "./line.ts";

const CODES = Object.keys(EXIT_OF) as readonly CliErrorCode[];

/** The last line of any command that was refused or failed. */
export const errorLine = timedLine("error", "The command was refused, or failed: the last line", {
  code: word(CODES, "Why. Part of the command's interface"),
  exit: whole("The exit code, which the README lists"),
  message: text("Why, for a person"),
  next: steps(),
});
