import { AGENT_PRESETS } from "@quasar/agents/presets";
import { flag, list, object, text, texts, word } from "./kinds.ts";
import { type Printed, result } from "./line.ts";

/** Whether an agent can ask its model. */
export const loginState = object(
  {
    state: word(["in", "out", "unknown"], "Whether a user is logged in, as the agent reports"),
    how: text('By what, or why that is unknown; "" where nothing more is known'),
  },
  "Whether it can ask its model",
);

const agent = object(
  {
    kind: word(
      AGENT_PRESETS.map(({ name }) => name),
      "Which",
    ),
    version: text('As it says itself; "" where it does not'),
    login: loginState,
  },
  "An agent's program that is installed",
);

const entries = {
  command: text("What is run"),
  from: text("The file that says so"),
  kind: word(["lint", "test"], "lint: goes back to the coder at once. test: has to pass"),
};

const check = object(entries, "A command that the project checks itself with");

const unusable = object(
  { ...entries, problem: text("Why it cannot run here") },
  "A check that cannot run here",
);

export const initLine = result("init", "The repository's settings, and what was found", {
  workTree: text("The top folder of the work tree"),
  created: texts("Files, from the root"),
  agents: list(agent, "Those that are installed"),
  checks: list(check, "Of the repository's files, less unusable and unwritten ones"),
  unusable: list(unusable, "Those that the files name and that cannot run here"),
  unwritten: list(check, "Those that are missing in a config.toml that was edited"),
  confirmed: flag("Whether the checks are settings of the repository now"),
});

export type InitLine = Printed<typeof initLine>;
