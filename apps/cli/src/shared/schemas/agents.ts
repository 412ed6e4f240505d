import { LINE_KINDS } from "@quasar/agents/presets";
import { flag, list, object, text, texts, word } from "./kinds.ts";
import { loginState } from "./init.ts";
import { type Printed, result } from "./line.ts";

const known = object(
  {
    name: text("What coder and reviewer are set to"),
    title: text("In a sentence"),
    isInstalled: flag("Whether its program is on the PATH"),
    version: text('As it says itself; "" where it does not, or is not installed'),
    login: loginState,
    loginCommand: text("What logs a person in; a remark in brackets says what to do then"),
    installCommand: text("What installs it"),
    resumesSession: flag(
      "Whether it continues in its own session after a crash and in the next cycle",
    ),
    costSource: word(["reported", "computed", "unknown"], "Where the cost of a turn is from"),
    streamsUsage: flag("Whether that is known while it works, so that a budget can stop a turn"),
    structuredOutput: flag("Whether a review can be held to a schema"),
    readOnlyBy: text('What holds a reviewer to reading; "": nothing but the check afterwards'),
    losses: texts("What a run has to do without, for a person"),
  },
  "An agent that is known",
);

const own = object(
  {
    name: text("What coder and reviewer are set to"),
    kind: word(LINE_KINDS, "How it is spoken to"),
    command: text("The command line"),
    passEnv: texts("Variables that it may see beside the usual ones"),
    from: text("Where it is set: a file with line and column"),
  },
  "An agent of the user's own",
);

export const agentsLine = result("agents", "The agents, and what each can do", {
  agents: list(known, "Those that are installed first"),
  ownAgents: list(own, "Those of the user's own configuration"),
});

export type AgentsLine = Printed<typeof agentsLine>;
