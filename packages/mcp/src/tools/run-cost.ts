import { readAny } from "../places/read.ts";
import { ofAny } from "./inputs.ts";
import { tool } from "./tool.ts";

export const runCost = tool({
  name: "run_cost",
  title: "Cost of a run or nebula",
  description:
    "What a run or nebula has spent in US dollars, and against which limit: by role, cycle and phase.",
  input: ofAny,
  async call({ id }, context) {
    const { kind, facts } = await readAny(context, id);
    return { origin: `${kind} ${id}`, facts: { money: facts.money } };
  },
});
