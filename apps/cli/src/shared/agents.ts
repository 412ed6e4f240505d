import { resolve } from "node:path";
import {
  type AgentScript,
  type AgentConfig,
  AgentsError,
  createAgent,
  parseAgentScript,
  type AgentInvoker,
  type AgentRole,
} from "@quasar/agents";
import {
  AGENT_PRESETS,
  type AgentPreset,
  installCommand,
  type LineKind,
  presetOf,
} from "@quasar/agents/presets";
import type { Checkpoint } from "@quasar/checkpoint";
import { cleanLine, fit } from "@quasar/runs/text";
import { storedSettings } from "./kept-settings.ts";
import type { Settings } from "./config/settings.ts";
import { type AgentSpec, type LineSpec, readSpec, unknownAgent } from "./config/agent-spec.ts";
import { CliError } from "./errors.ts";
import { findProgram } from "./find-program.ts";
import { readInput } from "./read-input.ts";

/** Who works and who reviews. */
export type Agents = Readonly<Record<AgentRole, AgentInvoker>>;

/** The settings that say who works, and how. */
export type AgentSettings = Pick<
  Settings,
  | "coder"
  | "reviewer"
  | "coderModel"
  | "reviewerModel"
  | "maxRequests"
  | "turnTimeout"
  | "idleTimeout"
  | "allowedTools"
  | "passEnv"
  | "checkPassEnv"
  | "sandbox"
  | "projectSettings"
  | "userHooks"
  | "claudeArgs"
  | "codexArgs"
  | "ownAgents"
  | "prices"
>;

/** What a person can do instead where the program of an agent is not installed. */
export interface OtherWays {
  /** The command that has other agents work, without their names: `quasar run "…"`. */
  readonly start: string;
  /** Commands that need no agent. @default none */
  readonly without?: readonly string[] | undefined;
}

/**
 * The agents that the settings name.
 *
 * @param setEnv - Variables that they have, whatever else they get.
 * @throws {CliError} `ERR_NOT_INSTALLED`; `ERR_CONFIG` for a script that is none.
 */
export function createAgents(
  settings: AgentSettings,
  ways: OtherWays,
  setEnv: Readonly<Record<string, string>> = {},
): Agents {
  const agents = invokersOf(settings, setEnv);
  requirePrograms(settings, ways);
  return agents;
}

/** The same, installed or not. */
function invokersOf(settings: AgentSettings, setEnv: Readonly<Record<string, string>>): Agents {
  return {
    coder: createInvoker(settings, settings.coder, settings.coderModel, setEnv),
    reviewer: createInvoker(settings, settings.reviewer, settings.reviewerModel, setEnv),
  };
}

/** @throws {CliError} `ERR_NOT_INSTALLED` */
function requirePrograms(
  { coder, reviewer }: Pick<AgentSettings, AgentRole>,
  ways: OtherWays,
): void {
  for (const spec of [coder, reviewer]) requireProgram(spec, ways);
}

/**
 * The agents that the settings of a resume name. A turn that was begun with another one than they name now is searched
 * for, read and ended by that one, also where its program is not installed any more.
 *
 * @param onMissing - Told of a program that is not installed. @default it is thrown
 * @throws {CliError} as `createAgents` does.
 */
export function agentsOf(
  settings: Settings,
  checkpoint: Checkpoint,
  onMissing: (error: CliError) => void = thrown,
): Agents {
  const agents = invokersOf(settings, {});
  lookForPrograms(settings, onMissing);
  const { turn } = checkpoint;
  if (turn === undefined) return agents;
  const { role } = turn;
  const stored = storedSettings(checkpoint);
  const spec = stored[role] ?? settings[role];
  if (spec === settings[role]) return agents;
  try {
    const own = createInvoker(settings, spec, stored[`${role}Model`] ?? "", {});
    const { name, capabilities } = agents[role];
    const invoke: AgentInvoker["invoke"] = (...args) => agents[role].invoke(...args);
    return { ...agents, [role]: { ...own, name, capabilities, invoke } };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return agents; // which do not take its turn for theirs
  }
}

function thrown(error: CliError): never {
  throw error;
}

function lookForPrograms(settings: Settings, onMissing: (error: CliError) => void): void {
  try {
    requirePrograms(settings, { start: "quasar resume" });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    onMissing(error);
  }
}

/** Scripts by absolute paths: a run is resumed from any folder. */
export function withAbsoluteScripts<S extends Pick<Settings, "coder" | "reviewer">>(
  settings: S,
  cwd: string,
): S {
  const absolute = (spec: string): string => {
    const [, path] = /^scripted:(.*)$/su.exec(spec) ?? [];
    return path === undefined ? spec : `scripted:${resolve(cwd, path.trim())}`;
  };
  return { ...settings, coder: absolute(settings.coder), reviewer: absolute(settings.reviewer) };
}

const MINUTE_MS = 60_000;
const MAX_SCRIPT_BYTES = 4 * 1024 * 1024;

function createInvoker(
  settings: AgentSettings,
  name: string,
  modelName: string,
  setEnv: Readonly<Record<string, string>>,
): AgentInvoker {
  const { turnTimeout, idleTimeout, passEnv, ownAgents } = settings;
  const spec = readSpec(name, ownAgents);
  const common = {
    limits: {
      totalTimeoutMs: turnTimeout * MINUTE_MS,
      idleTimeoutMs: idleTimeout * MINUTE_MS,
    },
    passEnv: [...passEnv, ...(spec !== undefined && "passEnv" in spec ? spec.passEnv : [])],
    setEnv,
    model: modelName === "" ? undefined : modelName,
  };
  const config = spec && configOf(spec, settings, common);
  if (config === undefined) throw unknownAgent("coder or reviewer", name, ownAgents);
  return createAgent(config);
}

interface Common extends Pick<CommandConfig, "limits" | "passEnv" | "setEnv"> {
  /** `undefined`: the agent's own choice. */
  readonly model: string | undefined;
}

type CommandConfig = Extract<AgentConfig, { readonly kind: "command" }>;

function configOf(
  spec: AgentSpec,
  settings: AgentSettings,
  common: Common,
): AgentConfig | undefined {
  switch (spec.kind) {
    case "preset":
      return PRESET_CONFIGS[spec.preset.route.kind]?.(settings, common);
    case "scripted":
      return { kind: "scripted", ...readScript(spec.path), ...common };
    default:
      return LINE_CONFIGS[spec.kind]?.(spec, settings, common);
  }
}

/** What an agent that is known is told of the settings, by how its program is spoken to. */
const PRESET_CONFIGS: Readonly<
  Partial<
    Record<AgentPreset["route"]["kind"], (settings: AgentSettings, common: Common) => AgentConfig>
  >
> = {
  claude: ({ maxRequests, prices, allowedTools, projectSettings, userHooks, ...more }, common) => ({
    ...{ kind: "claude", ...common, maxRequests, prices },
    ...{ allowedTools, projectSettings, userHooks, args: more.claudeArgs },
  }),
  codex: ({ maxRequests, prices, sandbox, userHooks, codexArgs: args }, common) => ({
    ...{ kind: "codex", ...common, maxRequests, prices, sandbox, userHooks, args },
  }),
};

/** The same of a command line. */
const LINE_CONFIGS: Readonly<
  Partial<
    Record<LineKind, (spec: LineSpec, settings: AgentSettings, common: Common) => AgentConfig>
  >
> = {
  command: ({ line, name }, _settings, { model: _model, ...common }) => ({
    ...{ kind: "command", command: line, name: name === "" ? nameOf(line) : name, ...common },
  }),
};

/** A command line is named by its beginning. */
function nameOf(command: string): string {
  return `command "${fit(cleanLine(command), 30)}"`;
}

function requireProgram(spec: string, { start, without = [] }: OtherWays): void {
  const preset = presetOf(spec);
  if (preset === undefined || isHere(preset)) return;
  const others = AGENT_PRESETS.filter(isHere).map(
    ({ name }) => `${start} --coder ${name} --reviewer ${name}`,
  );
  throw new CliError("ERR_NOT_INSTALLED", `there is no program ${preset.program} on the PATH`, {
    next: [installCommand(preset), ...others, ...without],
  });
}

function isHere({ program }: AgentPreset): boolean {
  return findProgram(program, process.env["PATH"] ?? "") !== undefined;
}

function readScript(path: string): AgentScript {
  const text = readInput(path, {
    maxBytes: MAX_SCRIPT_BYTES,
    code: "ERR_CONFIG",
    followLink: true,
  });
  const shown = cleanLine(path);
  if (text === undefined) throw new CliError("ERR_CONFIG", `there is no script ${shown}`);
  try {
    return parseAgentScript(text);
  } catch (error) {
    if (!(error instanceof AgentsError)) throw error;
    throw new CliError("ERR_CONFIG", `${shown}: ${error.message}`, { cause: error });
  }
}
