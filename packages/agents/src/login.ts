import { homedir } from "node:os";
import { join } from "node:path";
import { cleanLine } from "./clean.ts";

/** Whether an agent may ask its model, as far as its own files say: no model is asked. */
export interface AgentLogin {
  readonly state: "in" | "out" | "unknown";
  /** By what, or why it is unknown, in a few words; `""`: nothing more is known. */
  readonly how: string;
}

/** What an agent's status command has said. */
export interface StatusSaid {
  /** `undefined` where it did not end by itself in time. */
  readonly exitCode: number | undefined;
  /** Both outputs: Codex tells on either, by its version. */
  readonly text: string;
  /** The variables that the agent has. */
  readonly env: Readonly<Record<string, string>>;
  /** The text of the agent's own settings; `""` where there are none, `undefined` where they cannot be read. */
  readonly settings: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The agent's own command that says who is logged in. */
export interface StatusCommand {
  readonly kind: "command";
  readonly args: readonly string[];
  /** The first version that has it: an older one would take it for a prompt. */
  readonly since: readonly [major: number, minor: number, patch: number];
  /** The agent's own settings, which tell what the command leaves out. @default none */
  readonly settings?: ((env: Environment) => string) | undefined;
  readonly read: (said: StatusSaid) => AgentLogin;
}

/** What a login leaves behind, for an agent that has no command to ask. */
export interface LoginTraces {
  readonly kind: "traces";
  /** Keys by which it may ask its model. */
  readonly variables: readonly string[];
  readonly files: readonly {
    readonly path: (env: Environment) => string;
    /** What a file of somebody who is logged in holds. */
    readonly holds: RegExp;
  }[];
}

/** A path in the user's home, or another one in the folder that a variable names. */
export function inHome(path: string, variable: string, pathThere: string) {
  return (env: Environment): string => {
    const { HOME = homedir(), [variable]: folder = "" } = env;
    return folder === "" ? join(HOME, path) : join(folder, pathThere);
  };
}

/**
 * Who is logged in, by what a login leaves behind. That nothing is there proves nothing: keys may be elsewhere.
 *
 * @param textOf - The text of a file; `undefined` where it cannot be read.
 */
export function readTraces(
  { variables, files }: LoginTraces,
  env: Environment,
  textOf: (path: string) => string | undefined,
): AgentLogin {
  const variable = variables.find((name) => (env[name] ?? "") !== "");
  if (variable !== undefined) return { state: "in", how: variable };
  const paths = files.filter(({ path, holds }) => holds.test(textOf(path(env)) ?? ""));
  const [file] = paths.map(({ path }) => cleanLine(path(env), MOST_OF_PATH));
  return file === undefined
    ? { state: "unknown", how: "no key and no login found" }
    : { state: "in", how: file };
}

/** Whether a version, as an agent tells it, is this one or a later one. */
export function isSince(version: string, since: StatusCommand["since"]): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (parts === undefined) return false;
  const at = since.findIndex((least, index) => parts[index] !== least);
  return at < 0 || (parts[at] ?? 0) > (since[at] ?? 0);
}

const UNKNOWN: AgentLogin = { state: "unknown", how: "" };

const CLAUDE_METHODS: Readonly<Record<string, string>> = {
  api_key: "API key",
  api_key_helper: "apiKeyHelper",
  oauth_token: "OAuth token",
  third_party: "cloud provider",
};

const MOST_OF_NAME = 40;
const MOST_OF_PATH = 60;

/** What `claude auth status` means. */
export function readClaude({ text }: StatusSaid): AgentLogin {
  const { loggedIn, authMethod } = objectIn(text);
  if (loggedIn === false) return { state: "out", how: "" };
  if (loggedIn !== true) return UNKNOWN;
  if (typeof authMethod !== "string" || authMethod === "none") return { state: "in", how: "" };
  const how = Object.hasOwn(CLAUDE_METHODS, authMethod) ? CLAUDE_METHODS[authMethod] : authMethod;
  return { state: "in", how: cleanLine(how ?? "", MOST_OF_NAME) };
}

/** The JSON object that an output holds, whatever is printed around it. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  const [json = ""] = /\{.*\}/su.exec(text) ?? [];
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** What `codex login status` means: it knows its own file only, neither keys of the environment nor other providers. */
export function readCodex({ exitCode, text, env, settings }: StatusSaid): AgentLogin {
  if (exitCode === 0) {
    // The line may have a part of the key.
    const [how = ""] = /^Logged in using ChatGPT\b|\bAPI key\b/imu.exec(text) ?? [];
    return { state: "in", how: how.replace(/^Logged in using /u, "") };
  }
  if (exitCode !== 1 || !/^Not logged in\b/imu.test(text)) return UNKNOWN;
  if ((env["CODEX_API_KEY"] ?? "") !== "") return { state: "in", how: "CODEX_API_KEY" };
  if (settings === undefined) return { state: "unknown", how: "its config.toml cannot be read" };
  if (/^\s*(?:model_provider|profile)\s*=/mu.test(settings)) {
    return { state: "unknown", how: "its config.toml names a provider or profile" };
  }
  return { state: "out", how: "" };
}
