import { checkEnvironment, withheldFromChecks } from "@quasar/agents";
import { foreignGitEnv } from "@quasar/git";
import { cleanLine } from "../output/clean.ts";
import { fit } from "../output/width.ts";
import type { Settings } from "../config/settings.ts";

type Passed = Pick<Settings, "passEnv" | "checkPassEnv">;

function optionsOf({ passEnv, checkPassEnv }: Passed) {
  return { passEnv: [...passEnv, ...checkPassEnv] };
}

/** What checks see of the user's environment. */
export function environmentOfChecks(settings: Passed): Readonly<Record<string, string>> {
  return { ...checkEnvironment(optionsOf(settings)), ...foreignGitEnv(process.env) };
}

const MOST_NAMES = 12;

/**
 * Tells, once, which variables a check that has failed did not get: it may have needed one.
 *
 * @returns To be called with the name of each check that fails.
 */
export function tellWithheld(
  settings: Passed,
  tell: (message: string) => void,
): (check: string) => void {
  let isTold = false;
  return (check) => {
    const names = isTold ? [] : withheldFromChecks(optionsOf(settings));
    isTold = true;
    if (names.length === 0) return;
    const shown = names.slice(0, MOST_NAMES).map(cleanLine).join(", ");
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
    tell(
      `${fit(cleanLine(check), 60)} failed without these variables: ${shown}${more}; pass one it needs with --check-pass-env <name>`,
    );
  };
}
