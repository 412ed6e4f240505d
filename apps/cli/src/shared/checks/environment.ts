import { checkEnvironment, withheldFromChecks } from "@quasar/agents/environment";
import { foreignGitEnv } from "@quasar/git";
import { cleanLine, count, fit } from "@quasar/runs/text";
import type { Settings } from "../config/settings.ts";

type Passed = Pick<Settings, "passEnv" | "checkPassEnv">;

function optionsOf({ passEnv, checkPassEnv }: Passed) {
  return { passEnv: [...passEnv, ...checkPassEnv] };
}

/** What checks see of the user's environment. */
export function environmentOfChecks(settings: Passed): Readonly<Record<string, string>> {
  return { ...checkEnvironment(optionsOf(settings)), ...foreignGitEnv(process.env) };
}

/**
 * Tells, once, that a check which has failed did not get all variables: it may have needed one. Those that it
 * speaks of are named.
 *
 * @returns To be called with the name of each check that fails, and what it printed.
 */
export function tellWithheld(
  settings: Passed,
  tell: (message: string) => void,
): (check: string, output: string) => void {
  let isTold = false;
  return (check, output) => {
    const names = isTold ? [] : withheldFromChecks(optionsOf(settings));
    isTold = true;
    if (names.length === 0) return;
    const spokenOf = names.filter((name) => output.includes(name)).map(cleanLine);
    const which = spokenOf.length > 0 ? spokenOf.join(", ") : count(names.length, "variable");
    const what = fit(cleanLine(check), 60);
    tell(`${what} did not get ${which} of yours; pass one it needs with --check-pass-env <name>`);
  };
}
