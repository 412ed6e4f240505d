import { findProgram } from "../../shared/find-program.ts";
import { CliError } from "../../shared/errors.ts";
import { cleanLine } from "@quasar/runs/text";

export const INSTALL_STEP = "npm i -g @restatedev/restate-server";

type Environment = Readonly<Record<string, string | undefined>>;

/** Path of `restate-server`: as `QUASAR_RESTATE_SERVER` names it, else of the search path; `undefined`: there is none. */
export function findRestateServer(env: Environment): string | undefined {
  const named = env["QUASAR_RESTATE_SERVER"];
  if (named === undefined || named === "") return findProgram("restate-server", env["PATH"] ?? "");
  const at = named.lastIndexOf("/");
  return at < 0 ? undefined : findProgram(named.slice(at + 1), named.slice(0, at) || "/");
}

/** @throws {CliError} `ERR_NO_SERVER`: it is never installed by itself. */
export function requireRestateServer(env: Environment): string {
  const found = findRestateServer(env);
  if (found !== undefined) return found;
  throw new CliError("ERR_NO_SERVER", missingServer(env), { next: [INSTALL_STEP] });
}

/** Why there is none. */
export function missingServer(env: Environment): string {
  const named = env["QUASAR_RESTATE_SERVER"];
  return named === undefined || named === ""
    ? "there is no restate-server on the PATH, and quasar downloads none"
    : `QUASAR_RESTATE_SERVER names no program by its absolute path: ${cleanLine(named)}`;
}
