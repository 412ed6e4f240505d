import { askCommand } from "../command.ts";
import { findNebulaPlace, isNebulaId } from "../places/find-nebula.ts";
import { findRunPlace } from "../places/find-run.ts";
import { ofAny } from "./inputs.ts";
import { tool } from "./tool.ts";

export const resumePlan = tool({
  name: "resume_plan",
  title: "Plan of a resume",
  description:
    "What a resume of a run or nebula would reuse, run again, restore or refuse, and what it may cost. Changes nothing.",
  input: ofAny,
  async call({ id }, { workspace, commands, signal }) {
    const { cwd, args } = isNebulaId(id)
      ? { cwd: workspace.root, args: ["nebula", "plan", findNebulaPlace(workspace, id).id] }
      : await ofRunAt();
    const plan = await askCommand(commands.quasar, args, { cwd, signal });
    return { origin: `plan of ${id}`, facts: { plan } };

    async function ofRunAt() {
      const place = await findRunPlace(workspace, id);
      return { cwd: place.workspace.root, args: ["resume", place.id, "--plan"] };
    }
  },
});
