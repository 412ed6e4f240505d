import type { ExitCode } from "../../shared/exit-codes.ts";
import { showAgents } from "../../shared/show-agents.ts";
import type { Given } from "../command.ts";
import { userLayers } from "../config/load.ts";
import { atlasHome } from "../home.ts";

/** `atlas agents`: which agents there are, and what each can do. */
export function agentsCommand({ json }: Given): Promise<ExitCode> {
  return showAgents(userLayers(atlasHome(process.env), process.env), json === true);
}
