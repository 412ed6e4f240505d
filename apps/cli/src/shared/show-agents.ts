import {
  AGENT_PRESETS,
  installCommand,
  LINE_KINDS,
  lossesOf,
  detectAgents,
} from "@quasar/agents/presets";
import { jsonLine } from "@quasar/runs/text";
import { loginStep } from "./agent-programs.ts";
import type { LayerOf } from "./config/table.ts";
import type { Settings } from "./config/settings.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { agentTable, type KnownAgent, knownAgents, type SetAgent } from "./output/agent-table.ts";
import { result } from "./output/json.ts";
import { viewOf, write } from "./output/reporter.ts";
import type { AgentsLine } from "./schemas/agents.ts";

type UserSettings = Pick<Settings, "ownAgents" | "passEnv">;

/**
 * `agents`: which agents there are, and what each can do. Starts their programs, and asks neither a model nor a network.
 *
 * @param layers - Of the user alone: the environment before their file.
 */
export async function showAgents<S extends UserSettings>(
  layers: readonly LayerOf<S>[],
  json: boolean,
): Promise<ExitCode> {
  const passEnv = layers.find(({ values }) => values.passEnv !== undefined)?.values.passEnv;
  const known = knownAgents(AGENT_PRESETS, await detectAgents({ passEnv }));
  const own = setAgents(layers);
  if (json) {
    const facts = { agents: known.map(knownFacts), ownAgents: own.flatMap(ownFacts) };
    process.stdout.write(jsonLine(result("agents", facts, EXIT.ok) satisfies AgentsLine));
  } else {
    write(process.stdout, agentTable(known, own, viewOf(process.stdout)));
  }
  return EXIT.ok;
}

function setAgents<S extends UserSettings>(layers: readonly LayerOf<S>[]): readonly SetAgent[] {
  const layer = layers.find(({ values }) => values.ownAgents !== undefined);
  const { source = "", placeOf = () => source } = layer ?? {};
  const agents = Object.entries(layer?.values.ownAgents ?? {});
  return agents.map(([name, agent]) => ({ name, agent, from: placeOf(`agent.${name}`) }));
}

function knownFacts({ preset, found }: KnownAgent): AgentsLine["agents"][number] {
  const { name, title, capabilities, cost, readOnlyBy } = preset;
  const { resumesSession, streamsUsage, structuredOutput } = capabilities;
  return {
    ...{ name, title, isInstalled: found !== undefined, version: found?.version ?? "" },
    login: found?.login ?? { state: "unknown", how: "" },
    ...{ loginCommand: loginStep(preset), installCommand: installCommand(preset) },
    ...{ resumesSession, costSource: cost, streamsUsage, structuredOutput, readOnlyBy },
    losses: lossesOf(preset),
  };
}

function ownFacts({ name, agent, from }: SetAgent): AgentsLine["ownAgents"] {
  const { pass_env: passEnv = [] } = agent;
  return LINE_KINDS.flatMap((kind) => {
    const command = agent[kind];
    return command === undefined ? [] : [{ name, kind, command, passEnv, from }];
  });
}
