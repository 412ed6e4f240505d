import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { CliError } from "../shared/errors.ts";

/**
 * The folder of everything that `atlas` keeps: `ATLAS_HOME`, else `~/.atlas`.
 *
 * @throws {CliError} `ERR_CONFIG` for an `ATLAS_HOME` that is not absolute: what is meant would depend
 *   on where one is.
 */
export function atlasHome(env: Readonly<Record<string, string | undefined>>): string {
  const { ATLAS_HOME, HOME = homedir() } = env;
  if (ATLAS_HOME === undefined || ATLAS_HOME === "") return join(HOME, ".atlas");
  if (isAbsolute(ATLAS_HOME)) return ATLAS_HOME;
  throw new CliError("ERR_CONFIG", `ATLAS_HOME must be an absolute path, not ${ATLAS_HOME}`);
}
