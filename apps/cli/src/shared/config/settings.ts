import type { CodexSandbox } from "@quasar/agents";
import { AGENT_PRESETS, LINE_KINDS, presetOf } from "@quasar/agents/presets";
import type { ModelPrices } from "@quasar/agents/prices";
import type { CommitWording } from "@quasar/loop";
import {
  absolutePath,
  agent,
  choice,
  minutes,
  period,
  serverUrl,
  several,
  text,
  usd,
  whole,
  yesOrNo,
} from "./kinds.ts";
import { type OwnAgents, ownAgents } from "./own-agents.ts";
import { prices } from "./prices.ts";
import type { Setting } from "./table.ts";

/** What a user can set. The doc of each is in {@link SETTINGS}. */
export interface Settings {
  readonly coder: string;
  readonly reviewer: string;
  readonly coderModel: string;
  readonly reviewerModel: string;
  readonly maxCycles: number;
  readonly maxBudgetUsd: number;
  readonly maxTurnBudgetUsd: number;
  readonly nebulaMaxTotalUsd: number;
  readonly lint: readonly string[];
  readonly filter: readonly string[];
  readonly maxLintRetries: number;
  readonly maxRequests: number;
  readonly turnTimeout: number;
  readonly idleTimeout: number;
  readonly allowedTools: readonly string[];
  readonly passEnv: readonly string[];
  readonly checkPassEnv: readonly string[];
  readonly sandbox: CodexSandbox;
  readonly projectSettings: boolean;
  readonly userHooks: boolean;
  readonly claudeArgs: readonly string[];
  readonly codexArgs: readonly string[];
  readonly ownAgents: OwnAgents;
  readonly prices: ModelPrices;
  readonly detectStruggle: boolean;
  readonly projectContext: string;
  readonly leash: boolean;
  readonly waitLimit: string;
  readonly retries: number;
  readonly commitStyle: CommitWording;
  readonly notify: string;
  readonly fleetUrl: string;
  readonly fleetKeyFile: string;
  readonly fleetDepots: readonly string[];
}

export type SettingName = keyof Settings;

/** Who works where nobody has said it. */
export const DEFAULT_AGENT = "claude";
export const DEFAULT_BUDGET_USD = 5;
const DEFAULT_REQUESTS = 200;

const free = (): boolean => false;
const isNoKnownAgent = (value: string): boolean => presetOf(value) === undefined;
const NAMES = AGENT_PRESETS.map(({ name }) => name).join(", ");
const LINES = LINE_KINDS.map((kind) => `${kind}:<command line>`).join(", ");
const isAny = (commands: readonly string[]): boolean => commands.length > 0;
const command = text(4000, "<command>");

/** A repository names no servers, and who has no fleet reads nothing of one. */
const OF_FLEET = {
  guarded: (value: string | readonly string[]): boolean => value.length > 0,
  userOnly: true,
  isKept: false,
  isShownUnset: false,
} as const;

/** Every setting there is. */
export const SETTINGS: { readonly [Name in SettingName]: Setting<Settings[Name]> } = {
  coder: {
    key: "coder",
    flag: "--coder",
    env: "QUASAR_CODER",
    kind: agent,
    fallback: DEFAULT_AGENT,
    help: `the agent that writes: ${NAMES}, ${LINES}`,
    guarded: isNoKnownAgent,
  },
  reviewer: {
    key: "reviewer",
    flag: "--reviewer",
    env: "QUASAR_REVIEWER",
    kind: agent,
    fallback: DEFAULT_AGENT,
    help: "the agent that reviews, same choice",
    guarded: isNoKnownAgent,
  },
  coderModel: {
    key: "coder_model",
    flag: "--coder-model",
    env: "QUASAR_CODER_MODEL",
    kind: text(200, "<name>"),
    fallback: "",
    help: "the coder's model; empty: the agent's own choice",
    guarded: free,
  },
  reviewerModel: {
    key: "reviewer_model",
    flag: "--reviewer-model",
    env: "QUASAR_REVIEWER_MODEL",
    kind: text(200, "<name>"),
    fallback: "",
    help: "the reviewer's model",
    guarded: free,
  },
  maxCycles: {
    key: "max_cycles",
    flag: "--max-cycles",
    env: "QUASAR_MAX_CYCLES",
    kind: whole(1, 100),
    fallback: 3,
    help: "most cycles of coder and reviewer",
    guarded: free,
  },
  maxBudgetUsd: {
    key: "max_budget_usd",
    flag: "--max-budget",
    env: "QUASAR_MAX_BUDGET_USD",
    kind: usd,
    fallback: DEFAULT_BUDGET_USD,
    help: "total budget in USD across resumes; 0 = unlimited",
    guarded: (value) => value === 0 || value > DEFAULT_BUDGET_USD,
  },
  maxTurnBudgetUsd: {
    key: "max_turn_budget_usd",
    flag: "--max-turn-budget",
    env: "QUASAR_MAX_TURN_BUDGET_USD",
    kind: usd,
    fallback: 0,
    help: "budget of one turn in USD; 0 = what the total budget leaves",
    guarded: free,
  },
  nebulaMaxTotalUsd: {
    key: "nebula.max_total_budget_usd",
    env: "QUASAR_NEBULA_MAX_TOTAL_BUDGET_USD",
    kind: usd,
    fallback: 0,
    help: "the most that a nebula's files may have all its phases cost in USD; 0 = no cap",
    guarded: free,
    userOnly: true,
    isKept: false,
  },
  lint: {
    key: "lint",
    flag: "--lint",
    env: "QUASAR_LINT",
    kind: several(command, 20),
    fallback: [],
    help: "a lint command; failures go straight back to the coder (repeatable)",
    guarded: isAny,
  },
  filter: {
    key: "filter",
    flag: "--check",
    earlierFlag: "--filter",
    env: "QUASAR_FILTER",
    kind: several(command, 20),
    fallback: [],
    help: "a required check: must pass before a review (repeatable)",
    guarded: isAny,
  },
  maxLintRetries: {
    key: "max_lint_retries",
    flag: "--max-lint-retries",
    env: "QUASAR_MAX_LINT_RETRIES",
    kind: whole(0, 20),
    fallback: 2,
    help: "lint fixes that the coder may try in a cycle",
    guarded: free,
  },
  maxRequests: {
    key: "max_requests",
    flag: "--max-requests",
    env: "QUASAR_MAX_REQUESTS",
    kind: whole(1, 100_000),
    fallback: DEFAULT_REQUESTS,
    help: "most model requests of one turn, of an agent that tells of them",
    guarded: (value) => value > DEFAULT_REQUESTS,
  },
  turnTimeout: {
    key: "turn_timeout_minutes",
    flag: "--turn-timeout",
    env: "QUASAR_TURN_TIMEOUT_MINUTES",
    kind: minutes,
    fallback: 60,
    help: "most minutes of one turn",
    guarded: free,
  },
  idleTimeout: {
    key: "idle_timeout_minutes",
    flag: "--idle-timeout",
    env: "QUASAR_IDLE_TIMEOUT_MINUTES",
    kind: minutes,
    fallback: 10,
    help: "most minutes without output of an agent",
    guarded: free,
  },
  allowedTools: {
    key: "allowed_tools",
    flag: "--allow-tool",
    env: "QUASAR_ALLOWED_TOOLS",
    kind: several(text(1000, "<tool>"), 100),
    fallback: [],
    help: 'what claude may use beside edits and checks: "Bash(npm test *)" (repeatable)',
    guarded: isAny,
    userOnly: true,
  },
  sandbox: {
    key: "sandbox",
    flag: "--sandbox",
    env: "QUASAR_SANDBOX",
    kind: {
      ...choice("read-only", "workspace-write", "danger-full-access"),
      placeholder: "<mode>",
    },
    fallback: "workspace-write",
    help: "codex as coder: read-only, workspace-write or danger-full-access",
    guarded: (value) => value === "danger-full-access",
    userOnly: true,
  },
  projectSettings: {
    key: "project_settings",
    env: "QUASAR_PROJECT_SETTINGS",
    kind: yesOrNo,
    fallback: false,
    help: "claude as coder reads .claude/ and .mcp.json of the repository, and runs their hooks",
    guarded: (value) => value,
    userOnly: true,
  },
  userHooks: {
    key: "user_hooks",
    env: "QUASAR_USER_HOOKS",
    kind: yesOrNo,
    fallback: true,
    help: "your own hooks of claude and codex run in their turns",
    guarded: (value) => !value,
    userOnly: true,
  },
  claudeArgs: {
    key: "agent.claude.args",
    env: "QUASAR_AGENT_CLAUDE_ARGS",
    kind: several(text(1000, "<argument>"), 50),
    fallback: [],
    help: "more arguments for claude as coder",
    guarded: isAny,
    userOnly: true,
  },
  codexArgs: {
    key: "agent.codex.args",
    env: "QUASAR_AGENT_CODEX_ARGS",
    kind: several(text(1000, "<argument>"), 50),
    fallback: [],
    help: "more arguments for codex as coder",
    guarded: isAny,
    userOnly: true,
  },
  ownAgents: {
    key: "agent",
    kind: ownAgents,
    fallback: {},
    help: "agents of your own: a name and a command line each",
    guarded: (value) => Object.keys(value).length > 0,
    userOnly: true,
    isKept: false,
  },
  prices: {
    key: "prices",
    kind: prices,
    fallback: {},
    help: "prices of models, before those of the list",
    guarded: (value) => Object.keys(value).length > 0,
    userOnly: true,
    isKept: false,
  },
  passEnv: {
    key: "pass_env",
    flag: "--pass-env",
    env: "QUASAR_PASS_ENV",
    kind: several(text(200, "<name>"), 100),
    fallback: [],
    help: "a variable that agents and checks may see beside the usual ones (repeatable)",
    guarded: isAny,
  },
  checkPassEnv: {
    key: "check.pass_env",
    flag: "--check-pass-env",
    env: "QUASAR_CHECK_PASS_ENV",
    kind: several(text(200, "<name>"), 100),
    fallback: [],
    help: "a variable that checks may see, and agents not (repeatable)",
    guarded: isAny,
  },
  detectStruggle: {
    key: "detect_struggle",
    flag: "--detect-struggle",
    env: "QUASAR_DETECT_STRUGGLE",
    kind: yesOrNo,
    fallback: false,
    help: "stop early when the same findings come back",
    guarded: free,
  },
  projectContext: {
    key: "project_context",
    flag: "--project-context",
    env: "QUASAR_PROJECT_CONTEXT",
    kind: text(20_000),
    fallback: "",
    help: "goals and constraints, added to both agents' prompts",
    guarded: free,
  },
  leash: {
    key: "leash",
    flag: "--leash",
    env: "QUASAR_LEASH",
    kind: yesOrNo,
    fallback: false,
    help: "agents are killed when quasar exits: for CI",
    guarded: free,
  },
  waitLimit: {
    key: "wait_limit",
    flag: "--wait-limit",
    env: "QUASAR_WAIT_LIMIT",
    kind: period,
    fallback: "",
    help: "wait at a usage limit, at most so long: 90m, 6h, 1d; empty: stop with 75",
    guarded: free,
  },
  retries: {
    key: "retries",
    flag: "--retries",
    env: "QUASAR_RETRIES",
    kind: whole(0, 20),
    fallback: 3,
    help: "retries of a turn after an overload, a lost network, a killed agent (once)",
    guarded: free,
  },
  commitStyle: {
    key: "commit.style",
    flag: "--commit-style",
    env: "QUASAR_COMMIT_STYLE",
    kind: choice("auto", "conventional", "plain", "seed"),
    fallback: "auto",
    help: "auto, conventional, plain or seed: commit messages: auto follows the repository's history",
    guarded: free,
  },
  notify: {
    key: "notify",
    flag: "--notify",
    env: "QUASAR_NOTIFY",
    kind: command,
    fallback: "",
    help: "a command to run at the end, with QUASAR_EVENT and QUASAR_MESSAGE set",
    guarded: (value) => value !== "",
  },
  fleetUrl: {
    key: "fleet.url",
    env: "QUASAR_FLEET",
    kind: serverUrl,
    fallback: "",
    help: "the server of your fleet, for work on several machines",
    ...OF_FLEET,
  },
  fleetKeyFile: {
    key: "fleet.key_file",
    env: "QUASAR_FLEET_KEY_FILE",
    kind: absolutePath,
    fallback: "",
    help: "the file of your fleet's key; empty: fleet.key beside your own configuration",
    ...OF_FLEET,
  },
  fleetDepots: {
    key: "fleet.depots",
    kind: several(text(1000, "<depot>"), 20),
    fallback: [],
    help: "repositories over which your fleet's machines exchange commits",
    ...OF_FLEET,
  },
};

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS) as SettingName[];
