import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { showConfig } from "../../shared/show-config.ts";
import type { Given } from "../command.ts";
import { readConfig } from "../config/load.ts";
import { ATLAS, SETTINGS } from "../config/settings.ts";
import { atlasHome } from "../home.ts";
import { rootOf } from "../root.ts";

/** `atlas config`: each setting that a new task here would have, and where it is from. */
export async function configCommand({ json }: Given): Promise<ExitCode> {
  const cwd = process.cwd();
  const { env } = process;
  const root = await rootOf(cwd);
  const read = readConfig({ flags: {}, env, cwd, root, home: atlasHome(env) });
  showConfig({ reader: ATLAS, table: SETTINGS, ...read, json: json === true });
  return EXIT.ok;
}
