import type { DetectedAgent } from "@quasar/agents";
import { AGENT_PRESETS, type AgentPreset, installCommand } from "@quasar/agents/presets";
import { loginSteps } from "../agent-programs.ts";
import { type Finding, ok, problem, unknown, warning } from "./finding.ts";

export interface AgentFacts {
  /** Those that the settings name, in their words: `claude`, `command:<command line>`. */
  readonly named: readonly string[];
  readonly found: readonly DetectedAgent[];
  /** Why a command line that is named can never run, by its words in the settings. */
  readonly broken: Readonly<Record<string, string>>;
  /** The command that has agents work: `quasar run`. */
  readonly start: string;
}

/** The agents that are searched for, and what else the settings name. */
export function agentFindings(facts: AgentFacts): readonly Finding[] {
  const lines = facts.named.filter((spec) => spec.startsWith("command:"));
  return [
    ...AGENT_PRESETS.map((preset) => programFinding(preset, facts)),
    ...[...new Set(lines)].map((spec) => lineFinding(spec, facts)),
  ];
}

function programFinding(preset: AgentPreset, facts: AgentFacts): Finding {
  const { name: kind, program } = preset;
  const { named, found } = facts;
  const agent = found.find((each) => each.kind === kind);
  const words = agentWords(agent);
  if (!named.includes(kind)) return ok(kind, words);
  if (agent === undefined) {
    return problem(kind, `${words}, and the settings name it`, waysWithout(preset, facts));
  }
  if (agent.version === "") return warning(kind, words, [`${program} --version`]);
  switch (agent.login.state) {
    case "in":
      return ok(kind, words);
    case "out":
      return problem(kind, words, loginSteps(agent));
    case "unknown":
      return unknown(kind, words);
  }
}

function waysWithout(preset: AgentPreset, { found, start }: AgentFacts): readonly string[] {
  const others = found.map(
    (other) => `${start} "…" --coder ${other.kind} --reviewer ${other.kind}`,
  );
  return [installCommand(preset), ...others];
}

/** An agent's version, and whether somebody is logged in, as far as it says so. */
export function agentWords(agent: DetectedAgent | undefined): string {
  if (agent === undefined) return "not installed";
  const { version, login } = agent;
  if (version === "") return "installed, does not report its version";
  const how = login.how === "" ? "" : ` (${login.how})`;
  return `${version}, ${LOGIN_WORDS[login.state]}${how}`;
}

const LOGIN_WORDS: Readonly<Record<DetectedAgent["login"]["state"], string>> = {
  in: "logged in",
  out: "not logged in",
  unknown: "does not say whether it is logged in",
};

/** What a command line needs to ask its model, nobody can say. */
function lineFinding(spec: string, { broken }: AgentFacts): Finding {
  const line = spec.replace(/^command:\s*/u, "");
  const why = broken[spec];
  return why === undefined
    ? ok("agent", line)
    : problem("agent", `${line}: ${why}`, ["install it, or name another agent: coder, reviewer"]);
}
