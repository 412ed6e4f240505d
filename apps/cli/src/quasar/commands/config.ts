import { openUser, openWorkspace } from "@quasar/runs/internal";
import { QUASAR } from "../../shared/config/layers.ts";
import { SETTINGS } from "../../shared/config/settings.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { showConfig } from "../../shared/show-config.ts";
import { readConfig } from "../config/load.ts";

/** `quasar config`: each setting that a new run here would have, and where it is from. */
export async function configCommand({
  json,
}: {
  readonly json?: true | undefined;
}): Promise<ExitCode> {
  const cwd = process.cwd();
  const { root } = await openWorkspace(cwd);
  const { folders } = openUser();
  const read = readConfig({ flags: {}, env: process.env, cwd, root, folders });
  showConfig({ reader: QUASAR, table: SETTINGS, ...read, json: json === true });
  return EXIT.ok;
}
