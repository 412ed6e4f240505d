import type { CommandSpecOf, GivenOf } from "./command.ts";

/** `agents`, of a program. */
export function agentsSpec<Settings, Given extends GivenOf<Settings>>(
  program: string,
  group: string,
  run: (given: Given) => ReturnType<CommandSpecOf<Settings, Given>["run"]>,
): CommandSpecOf<Settings, Given> {
  return {
    name: "agents",
    group,
    summary: "list the agents, and what each can do",
    description:
      "list the agents: which are installed, who is logged in, what each can do and what is lost " +
      "where it can't; then your own, and what installs the others. Asks no model and no network",
    examples: [
      [`${program} agents`, "which there are"],
      [`${program} agents --json | jq .agents`, "for a program"],
    ],
    run: (_args, given) => run(given),
  };
}
