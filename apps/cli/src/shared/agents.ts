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
  acpOptionsOf,
  acpOptionsOfLine,
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
  requirePrograms(settings, (spec) => missingProgram(spec, ways));
  return agents;
}

/** As {@link createAgents}, for many settings: each program is searched for once. */
export function agentsCreator(ways: OtherWays): (settings: AgentSettings) => Agents {
  const known = new Map<string, CliError | undefined>();
  const missing = (spec: string): CliError | undefined => {
    if (!known.has(spec)) known.set(spec, missingProgram(spec, ways));
    return known.get(spec);
  };
  return (settings) => {
    const agents = invokersOf(settings);
    requirePrograms(settings, missing);
    return agents;
  };
}

/** The same, installed or not. */
export function invokersOf(
  settings: AgentSettings,
  setEnv: Readonly<Record<string, string>> = {},
): Agents {
  return {
    coder: createInvoker(settings, "coder", settings, setEnv),
    reviewer: createInvoker(settings, "reviewer", settings, setEnv),
  };
}

/** @throws {CliError} `ERR_NOT_INSTALLED` */
function requirePrograms(
  { coder, reviewer }: Pick<AgentSettings, AgentRole>,
  missing: (spec: string) => CliError | undefined,
): void {
  for (const spec of [coder, reviewer]) {
    const error = missing(spec);
    if (error !== undefined) throw error;
  }
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
  const agents = invokersOf(settings);
  lookForPrograms(settings, onMissing);
  const { turn } = checkpoint;
  if (turn === undefined) return agents;
  const { role } = turn;
  const stored = storedSettings(checkpoint);
  const spec = stored[role] ?? settings[role];
  if (spec === settings[role]) return agents;
  try {
    const who = { ...settings, [role]: spec, [`${role}Model`]: stored[`${role}Model`] ?? "" };
    const own = createInvoker(settings, role, who, {});
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
    requirePrograms(settings, (spec) => missingProgram(spec, { start: "quasar resume" }));
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

type Who = Pick<AgentSettings, AgentRole | `${AgentRole}Model`>;

function createInvoker(
  settings: AgentSettings,
  role: AgentRole,
  who: Who,
  setEnv: Readonly<Record<string, string>>,
): AgentInvoker {
  const { turnTimeout, idleTimeout, passEnv, ownAgents } = settings;
  const [name, model] = [who[role], who[`${role}Model`]];
  const spec = readSpec(name, ownAgents);
  const common = {
    limits: {
      totalTimeoutMs: turnTimeout * MINUTE_MS,
      idleTimeoutMs: idleTimeout * MINUTE_MS,
    },
    passEnv: [...passEnv, ...(spec !== undefined && "passEnv" in spec ? spec.passEnv : [])],
    setEnv,
    model: model === "" ? undefined : model,
  };
  const config = spec && configOf(spec, role, settings, common);
  if (config === undefined) throw unknownAgent(role, name, ownAgents);
  return createAgent(config);
}

interface Common extends Pick<CommandConfig, "limits" | "passEnv" | "setEnv"> {
  /** `undefined`: the agent's own choice. */
  readonly model: string | undefined;
}

type CommandConfig = Extract<AgentConfig, { readonly kind: "command" }>;

function configOf(
  spec: AgentSpec,
  role: AgentRole,
  settings: AgentSettings,
  common: Common,
): AgentConfig | undefined {
  switch (spec.kind) {
    case "preset":
      return configOfPreset(spec.preset, role, settings, common);
    case "scripted": {
      // A script names its model itself.
      const { model: _model, ...others } = common;
      return { kind: "scripted", ...readScript(spec.path), ...others };
    }
    default:
      return configOfLine(spec, settings, common);
  }
}

/** What a known agent takes of the settings, by how its program is spoken to. */
function configOfPreset(
  preset: AgentPreset,
  role: AgentRole,
  settings: AgentSettings,
  given: Common,
): AgentConfig | undefined {
  const { maxRequests, prices, allowedTools, projectSettings, userHooks } = settings;
  const { kind } = preset.route;
  const common = { ...given, maxRequests, prices };
  switch (kind) {
    case "claude": {
      const args = settings.claudeArgs;
      return { kind, ...common, allowedTools, projectSettings, userHooks, args };
    }
    case "codex":
      return { kind, ...common, sandbox: settings.sandbox, userHooks, args: settings.codexArgs };
    case "opencode":
      return { kind, ...common, allowedTools, projectSettings, userHooks };
    case "qwen":
      return { kind, ...common, allowedTools, projectSettings };
    case "acp": {
      const agent = acpOptionsOf(preset, role);
      const setEnv = { ...agent?.setEnv, ...common.setEnv };
      return agent && { kind, ...agent, ...common, setEnv, allowedTools, projectSettings };
    }
  }
}

function configOfLine(
  { kind, line: command, name: given }: LineSpec,
  { maxRequests, prices, allowedTools, projectSettings }: AgentSettings,
  { model, ...common }: Common,
): AgentConfig {
  const name = given === "" ? nameOf(kind, command) : given;
  if (kind === "command") return { kind, command, name, ...common };
  const known = acpOptionsOfLine(command);
  const setEnv = { ...known?.setEnv, ...common.setEnv };
  const set = { model, maxRequests, prices, allowedTools, projectSettings };
  return { kind, ...known, command, name, ...common, setEnv, ...set };
}

/** A command line is named by its beginning. */
function nameOf(kind: LineKind, command: string): string {
  return `${kind} "${fit(cleanLine(command), 30)}"`;
}

function missingProgram(spec: string, { start, without = [] }: OtherWays): CliError | undefined {
  const preset = presetOf(spec);
  if (preset === undefined || isHere(preset)) return undefined;
  const others = AGENT_PRESETS.filter(isHere).map(
    ({ name }) => `${start} --coder ${name} --reviewer ${name}`,
  );
  return new CliError("ERR_NOT_INSTALLED", `there is no program ${preset.program} on the PATH`, {
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
