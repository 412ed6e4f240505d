import { isUnfinished } from "@quasar/nebula";
import { pauseNebula } from "@quasar/nebula/internal";
import { McpError } from "../errors.ts";
import { findNebulaPlace } from "../places/find-nebula.ts";
import { Own } from "../untrusted/guard.ts";
import { refuseWithinRun } from "../within-run.ts";
import { ofNebula } from "./inputs.ts";
import { tool } from "./tool.ts";

export const nebulaPause = tool({
  name: "nebula_pause",
  title: "Pause a nebula",
  description:
    "Pauses a nebula: turns in flight end, what is approved lands, nothing else begins until a person continues it.",
  permission: "control",
  input: ofNebula,
  async call({ id }, { workspace }) {
    refuseWithinRun();
    const state = findNebulaPlace(workspace, id);
    if (!isUnfinished(state)) throw new McpError("ERR_ARGUMENT", "the nebula has ended");
    pauseNebula(workspace.repositoryId, state, new Date());
    const command = new Own(`quasar nebula continue ${state.id}`);
    return { origin: `nebula ${state.id}`, facts: { nebulaId: state.id, isPaused: true, command } };
  },
});
