import { findRunPlace } from "../places/find-run.ts";
import { McpError } from "../errors.ts";
import { startDetached } from "../start/detached.ts";
import { refuseBeyond } from "../start/limits.ts";
import { refuseWithinRun } from "../within-run.ts";
import { ofRun } from "./inputs.ts";
import { startedFacts } from "./started.ts";
import { tool } from "./tool.ts";

export const runResume = tool({
  name: "run_resume",
  title: "Resume a run",
  description:
    "Resumes an interrupted run exactly where it stopped, within the limits that it has: call resume_plan first. It works on after this server has ended. What it refuses only a person may accept.",
  permission: "control",
  input: ofRun,
  async call({ id }, context) {
    refuseWithinRun();
    const { workspace, commands, limits, book } = context;
    const place = await findRunPlace(workspace, id);
    if (place.phase !== undefined) {
      throw new McpError("ERR_ARGUMENT", "the run is of a nebula, which a person resumes");
    }
    refuseBeyond(limits, book.started(), Date.now());
    const options = { cwd: place.workspace.root, input: "" };
    return startedFacts(context, () =>
      startDetached(commands.quasar, ["resume", place.id], options),
    );
  },
});
