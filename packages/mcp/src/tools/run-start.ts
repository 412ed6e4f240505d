import * as z from "zod/v4";
import { startDetached } from "../start/detached.ts";
import { refuseBeyond, refuseBudget } from "../start/limits.ts";
import { refuseWithinRun } from "../within-run.ts";
import { startedFacts } from "./started.ts";
import { tool } from "./tool.ts";

/** A name only: what runs a program of the caller's choice has a colon. */
const agent = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/u, "the name of an agent, such as claude")
  .optional();

export const runStart = tool({
  name: "run_start",
  title: "Start a run",
  description:
    "Starts a run in a new work tree with a branch of its own: a coder and a reviewer work on the task in turns until it is approved, or the cycles or the budget are used up. Answers with the run's id at once; it works on after this server has ended. Follow it with run_status.",
  permission: "start",
  input: z.strictObject({
    task: z.string().min(1).max(200_000).describe("What to do, in words"),
    budget_usd: z
      .number()
      .positive()
      .max(1_000_000)
      .describe("Most that the run may spend, in US dollars"),
    max_cycles: z
      .int()
      .min(1)
      .max(50)
      .optional()
      .describe("Most cycles; default: the project's setting"),
    coder: agent.describe("Name of the agent that writes; default: the project's setting"),
    reviewer: agent.describe("Name of the agent that reviews; default: the project's setting"),
  }),
  async call({ task, budget_usd: budgetUsd, max_cycles: maxCycles, coder, reviewer }, context) {
    refuseWithinRun();
    const { workspace, commands, limits, book } = context;
    refuseBudget(budgetUsd, limits);
    refuseBeyond(limits, book.started(), Date.now());
    const args = [
      ...["run", "-", "--worktree", "--max-budget", String(budgetUsd)],
      ...(maxCycles === undefined ? [] : ["--max-cycles", String(maxCycles)]),
      ...(coder === undefined ? [] : ["--coder", coder]),
      ...(reviewer === undefined ? [] : ["--reviewer", reviewer]),
    ];
    const options = { cwd: workspace.root, input: task };
    return startedFacts(context, () => startDetached(commands.quasar, args, options));
  },
});
