import { hostname } from "node:os";
import { sendSignal } from "@quasar/process";
import { lockHolder } from "@quasar/runs/internal";
import { McpError } from "../errors.ts";
import { findRunPlace } from "../places/find-run.ts";
import { refuseWithinRun } from "../within-run.ts";
import { ofRun } from "./inputs.ts";
import { tool } from "./tool.ts";

export const runStop = tool({
  name: "run_stop",
  title: "Stop a run",
  description:
    "Stops a run that is at work, as Ctrl-C does: its state is saved, and run_resume continues it.",
  permission: "control",
  input: ofRun,
  async call({ id }, { workspace }) {
    refuseWithinRun();
    const place = await findRunPlace(workspace, id);
    if (place.phase !== undefined) {
      throw new McpError("ERR_ARGUMENT", "the run is of a nebula: pause that with nebula_pause");
    }
    const holder = lockHolder(place.workspace);
    if (holder?.runId !== place.id || holder.host !== hostname()) {
      throw new McpError("ERR_NOT_FOUND", `nothing on this machine works on run ${place.id}`);
    }
    sendSignal(holder.pid, "SIGINT");
    return { origin: `run ${place.id}`, facts: { id: place.id, isStopping: true } };
  },
});
