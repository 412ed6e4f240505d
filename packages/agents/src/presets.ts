import { join } from "node:path";
import type { AgentCapabilities } from "./agent.ts";
import { codexHomeOf } from "./codex/home.ts";
import { type AgentLogin, readClaude, readCodex, type StatusSaid } from "./login.ts";

/** How the program of an agent is spoken to. */
export type AgentRoute = "claude" | "codex";

/** The agent's own command that says who is logged in. */
export interface StatusCommand {
  readonly args: readonly string[];
  /** The first version that has it: an older one would take it for a prompt. */
  readonly since: readonly [major: number, minor: number, patch: number];
  /** The agent's own settings, which tell what the command leaves out. @default none */
  readonly settings?: ((env: Environment) => string) | undefined;
  readonly read: (said: StatusSaid) => AgentLogin;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** An agent that is known by its name: all that is known of it before it is started. */
export interface AgentPreset {
  /** In settings and for people: `claude`. */
  readonly name: string;
  /** In a sentence: `Claude Code`. */
  readonly title: string;
  /** On the PATH. */
  readonly program: string;
  /** On npm. */
  readonly npmPackage: string;
  readonly route: AgentRoute;
  /** The agent's own variables; one that ends in `*` is a prefix. */
  readonly ownEnv: readonly string[];
  readonly login: {
    /** Logs a person in. */
    readonly command: string;
    readonly status: StatusCommand;
  };
  readonly capabilities: AgentCapabilities;
  /** Where the cost of a turn is from. */
  readonly cost: "reported" | "computed" | "unknown";
  /** What holds a reviewer to reading. */
  readonly readOnlyBy: string;
}

const CLAUDE = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  npmPackage: "@anthropic-ai/claude-code",
  route: "claude",
  ownEnv: ["ANTHROPIC_*", "CLAUDE_*"],
  login: {
    command: "claude auth login",
    status: { args: ["auth", "status"], since: [2, 1, 41], read: readClaude },
  },
  capabilities: {
    structuredOutput: true,
    choosesSessionId: true,
    reportsCost: true,
    streamsUsage: true,
    resumesSession: true,
  },
  cost: "reported",
  readOnlyBy: "its permissions",
} as const satisfies AgentPreset;

const CODEX = {
  name: "codex",
  title: "Codex",
  program: "codex",
  npmPackage: "@openai/codex",
  route: "codex",
  ownEnv: ["OPENAI_*", "CODEX_*"],
  login: {
    command: "codex login",
    status: {
      args: ["login", "status"],
      since: [0, 20, 0],
      settings: (env) => join(codexHomeOf(env), "config.toml"),
      read: readCodex,
    },
  },
  capabilities: {
    structuredOutput: true,
    choosesSessionId: false,
    reportsCost: true,
    streamsUsage: true,
    resumesSession: true,
  },
  cost: "computed",
  readOnlyBy: "its sandbox",
} as const satisfies AgentPreset;

/** Every agent that is known. */
export const PRESETS = { claude: CLAUDE, codex: CODEX };

/** Those that are offered, in the order in which a person who has named none gets them. */
export const AGENT_PRESETS: readonly AgentPreset[] = [PRESETS.claude, PRESETS.codex];

/** The agent of a name that is offered. */
export function presetOf(name: string): AgentPreset | undefined {
  return AGENT_PRESETS.find((preset) => preset.name === name);
}

/** Installs an agent's program. */
export function installCommand({ npmPackage }: Pick<AgentPreset, "npmPackage">): string {
  return `npm install -g ${npmPackage}`;
}
