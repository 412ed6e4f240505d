import * as z from "zod/v4";
import { askCommand } from "../command.ts";
import { folderInside } from "../places/inside.ts";
import { tool } from "./tool.ts";

export const nebulaPlan = tool({
  name: "nebula_plan",
  title: "Plan of a nebula",
  description:
    "What working on the nebula of a folder would mean: its phases in waves, the estimated cost, what it asks for. Of one that has begun: what a resume would do. Changes nothing.",
  input: z.strictObject({
    dir: z
      .string()
      .min(1)
      .max(4096)
      .describe("The nebula's folder, from the top folder of the work tree"),
  }),
  async call({ dir }, { workspace, commands, signal }) {
    const { root } = workspace;
    const path = folderInside(root, dir);
    const plan = await askCommand(commands.quasar, ["nebula", "plan", path], { cwd: root, signal });
    return { origin: "plan of a nebula", facts: { plan } };
  },
});
