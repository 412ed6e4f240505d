import { join } from "node:path";
import type { ValidationConfig } from "@quasar/tasks";
import { requireTrust } from "../shared/config/trust.ts";

/**
 * Validation commands that were found in a work tree's package.json, and that nobody has named, need a yes.
 *
 * @throws {CliError} `ERR_UNTRUSTED_CONFIG`
 */
export function requireTrustInScripts(
  { source, commands }: ValidationConfig,
  workTree: string,
  stateDir: string,
  trust: boolean,
): void {
  if (source !== "package.json") return;
  const path = join(workTree, "package.json");
  const guarded = { validation: commands.map(({ command }) => command) };
  requireTrust({ path, guarded, workTree, stateDir, trust });
}
