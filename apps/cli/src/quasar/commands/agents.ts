import { openUser } from "@quasar/runs/internal";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { showAgents } from "../../shared/show-agents.ts";
import { userLayers } from "../config/load.ts";

/** `quasar agents`: which agents there are, and what each can do. */
export function agentsCommand({ json }: { readonly json?: true | undefined }): Promise<ExitCode> {
  return showAgents(userLayers(openUser().folders, process.env), json === true);
}
