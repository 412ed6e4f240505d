import { join } from "node:path";
import * as known from "./acp/known.ts";
import { codexHomeOf } from "./codex/home.ts";
import { inHome, readClaude, readCodex } from "./login.ts";
import type { AgentPreset } from "./preset.ts";

const CLAUDE = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  npmPackage: "@anthropic-ai/claude-code",
  route: { kind: "claude" },
  ownEnv: ["ANTHROPIC_*", "CLAUDE_*"],
  login: {
    command: "claude auth login",
    seen: { kind: "command", args: ["auth", "status"], since: [2, 1, 41], read: readClaude },
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
  route: { kind: "codex" },
  ownEnv: ["OPENAI_*", "CODEX_*"],
  login: {
    command: "codex login",
    seen: {
      kind: "command",
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

const OPENCODE = {
  name: "opencode",
  title: "OpenCode",
  program: "opencode",
  npmPackage: "opencode-ai",
  route: { kind: "opencode" },
  ownEnv: ["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*"],
  login: {
    command: "opencode auth login",
    seen: {
      kind: "traces",
      variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
      files: [
        {
          path: inHome(".local/share/opencode/auth.json", "XDG_DATA_HOME", "opencode/auth.json"),
          holds: /"type"\s*:/u,
        },
      ],
    },
  },
  capabilities: {
    structuredOutput: false,
    choosesSessionId: false,
    reportsCost: true,
    streamsUsage: true,
    resumesSession: true,
  },
  cost: "reported",
  readOnlyBy: "its permissions",
} as const satisfies AgentPreset;

const QWEN = {
  name: "qwen",
  title: "Qwen Code",
  program: "qwen",
  npmPackage: "@qwen-code/qwen-code",
  route: { kind: "qwen" },
  ownEnv: ["QWEN_*", "DASHSCOPE_*", "OPENAI_*"],
  login: {
    command: "qwen",
    then: "/auth",
    seen: {
      kind: "traces",
      variables: ["OPENAI_API_KEY", "DASHSCOPE_API_KEY"],
      files: [
        {
          path: inHome(".qwen/oauth_creds.json", "QWEN_HOME", "oauth_creds.json"),
          holds: /"(?:access|refresh)_token"\s*:\s*"[^"]/u,
        },
      ],
    },
  },
  capabilities: {
    structuredOutput: true,
    choosesSessionId: true,
    reportsCost: true,
    streamsUsage: true,
    resumesSession: true,
  },
  cost: "computed",
  readOnlyBy: "its permissions",
} as const satisfies AgentPreset;

/** What is the same for all that speak the Agent Client Protocol. */
const ofProtocol = (agent: known.KnownAcpAgent) =>
  ({
    name: agent.name,
    title: agent.title,
    program: agent.file,
    ownEnv: agent.ownEnv,
    route: { kind: "acp", agent },
    capabilities: {
      structuredOutput: false,
      choosesSessionId: false,
      reportsCost: true,
      streamsUsage: false,
      resumesSession: true,
    },
    cost: "computed",
    readOnlyBy: "answers to its questions",
  }) as const;

const GEMINI = {
  ...ofProtocol(known.GEMINI),
  npmPackage: "@google/gemini-cli",
  login: {
    command: "gemini",
    then: "/auth",
    seen: {
      kind: "traces",
      variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
      files: [
        {
          path: inHome(".gemini/oauth_creds.json", "GEMINI_CLI_HOME", ".gemini/oauth_creds.json"),
          holds: /"(?:access|refresh)_token"\s*:\s*"[^"]/u,
        },
      ],
    },
  },
} as const satisfies AgentPreset;

const COPILOT = {
  ...ofProtocol(known.COPILOT),
  npmPackage: "@github/copilot",
  login: {
    command: "copilot login",
    seen: {
      kind: "traces",
      variables: ["COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"],
      files: [
        {
          path: inHome(".copilot/config.json", "COPILOT_HOME", "config.json"),
          holds: /"logged_?in_?users"\s*:\s*\[\s*[^\s\]]/iu,
        },
      ],
    },
  },
} as const satisfies AgentPreset;

/** Every agent that is known. */
export const PRESETS = {
  claude: CLAUDE,
  codex: CODEX,
  opencode: OPENCODE,
  qwen: QWEN,
  gemini: GEMINI,
  copilot: COPILOT,
};

/** All of them, in the order in which a person who has named none gets them. */
export const AGENT_PRESETS: readonly AgentPreset[] = Object.values(PRESETS);

/** Names that are no user's to give to an agent of their own. */
export const RESERVED_NAMES: readonly string[] = Object.keys(PRESETS);

/** How a command line may be named as an agent, the easiest first. */
export const LINE_KINDS: readonly LineKind[] = ["command", "acp"];

/** `command`: prompt in, answer out. `acp`: the Agent Client Protocol. */
export type LineKind = "command" | "acp";

/** The agent of a name that is offered. */
export function presetOf(name: string): AgentPreset | undefined {
  return AGENT_PRESETS.find((preset) => preset.name === name);
}
