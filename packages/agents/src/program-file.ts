import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AgentsError } from "./errors.ts";

/** The programs that supervise turns: the second is for agents that speak the Agent Client Protocol. */
export type SupervisorProgram = "supervisor" | "acp-supervisor";

/**
 * A program of this package, beside this module, wherever that is: a bundle takes it along as an entry of its own.
 *
 * @throws {AgentsError} `ERR_NO_SUPERVISOR`
 */
export function programFile(name: SupervisorProgram | "reviewer-guard"): string {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const path = fileURLToPath(new URL(`./${name}.${ending}`, import.meta.url));
  if (existsSync(path)) {
    return path;
  }
  const message = `${path} is missing: bundle @quasar/agents/dist/${name}.js as an entry of its own`;
  throw new AgentsError("ERR_NO_SUPERVISOR", message);
}
