import {
  AGENT_PRESETS,
  type AgentPreset,
  installCommand,
  type DetectedAgent,
} from "@quasar/agents/presets";
import { loginSteps } from "../agent-programs.ts";
import type { AgentSpec } from "../config/agent-spec.ts";
import { type Finding, ok, problem, unknown, warning } from "./finding.ts";

export interface AgentFacts {
  /** Those that the settings name, each once. */
  readonly named: readonly AgentSpec[];
  readonly found: readonly DetectedAgent[];
  /** Why a command line can never run here; `undefined` where it can. */
  readonly problemOfLine: (line: string) => string | undefined;
  /** The command that has agents work: `quasar run`. */
  readonly start: string;
}

/** The agents that are here or that the settings name, and which others there could be. */
export function agentFindings(facts: AgentFacts): readonly Finding[] {
  const isTold = ({ name }: AgentPreset): boolean =>
    isNamed(name, facts) || facts.found.some(({ kind }) => kind === name);
  const others = AGENT_PRESETS.filter((preset) => !isTold(preset));
  return [
    ...AGENT_PRESETS.filter(isTold).map((preset) => programFinding(preset, facts)),
    ...facts.named.flatMap((spec) => lineFinding(spec, facts)),
    ...(others.length === 0 ? [] : [ok("agents", notInstalled(others))]),
  ];
}

/** Of agents that are not here. */
export function notInstalled(presets: readonly AgentPreset[]): string {
  return `not installed: ${presets.map(({ name }) => name).join(", ")}`;
}

function isNamed(name: string, { named }: AgentFacts): boolean {
  return named.some((spec) => spec.kind === "preset" && spec.preset.name === name);
}

function programFinding(preset: AgentPreset, facts: AgentFacts): Finding {
  const { name, program } = preset;
  const agent = facts.found.find(({ kind }) => kind === name);
  const words = agentWords(agent);
  if (!isNamed(name, facts)) return ok(name, words);
  if (agent === undefined) {
    return problem(name, `${words}, and a run here would use it`, waysWithout(preset, facts));
  }
  if (agent.version === "") return warning(name, words, [`${program} --version`]);
  switch (agent.login.state) {
    case "in":
      return ok(name, words);
    case "out":
      return problem(name, words, loginSteps(agent));
    case "unknown":
      return unknown(name, words);
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
function lineFinding(spec: AgentSpec, { problemOfLine }: AgentFacts): readonly Finding[] {
  if (!("line" in spec)) return [];
  const words = spec.name === "" ? spec.line : `${spec.name}: ${spec.line}`;
  const why = problemOfLine(spec.line);
  return why === undefined
    ? [ok("agent", words)]
    : [
        problem("agent", `${words}: ${why}`, [
          "install it, or name another agent: coder, reviewer",
        ]),
      ];
}
