import { agent, minutes, period, several, text, usd, whole, yesOrNo } from "./kinds.ts";
import type { Setting } from "./table.ts";

/** What a user can set. The doc of each is in {@link SETTINGS}. */
export interface Settings {
  readonly coder: string;
  readonly reviewer: string;
  readonly coderModel: string;
  readonly reviewerModel: string;
  readonly maxCycles: number;
  readonly maxBudgetUsd: number;
  readonly lint: readonly string[];
  readonly filter: readonly string[];
  readonly maxLintRetries: number;
  readonly turnTimeout: number;
  readonly idleTimeout: number;
  readonly allowedTools: readonly string[];
  readonly passEnv: readonly string[];
  readonly detectStruggle: boolean;
  readonly projectContext: string;
  readonly leash: boolean;
  readonly waitLimit: string;
}

export type SettingName = keyof Settings;

/** Each of them has a flag. */
type Flagged<T> = Setting<T> & { readonly flag: string };

export const DEFAULT_BUDGET_USD = 5;

const free = (): boolean => false;
const isNoKnownAgent = (value: string): boolean => value !== "claude" && value !== "codex";
const isAny = (commands: readonly string[]): boolean => commands.length > 0;
const command = text(4000, "<command>");

/** Every setting there is. */
export const SETTINGS: { readonly [Name in SettingName]: Flagged<Settings[Name]> } = {
  coder: {
    key: "coder",
    flag: "--coder",
    env: "QUASAR_CODER",
    kind: agent,
    fallback: "claude",
    help: "who writes: claude, codex, command:<command line>",
    guarded: isNoKnownAgent,
  },
  reviewer: {
    key: "reviewer",
    flag: "--reviewer",
    env: "QUASAR_REVIEWER",
    kind: agent,
    fallback: "claude",
    help: "who reviews, of the same choice",
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
    help: "cycles before it gives up",
    guarded: free,
  },
  maxBudgetUsd: {
    key: "max_budget_usd",
    flag: "--max-budget",
    env: "QUASAR_MAX_BUDGET_USD",
    kind: usd,
    fallback: DEFAULT_BUDGET_USD,
    help: "US dollars over all crashes of the run; 0: no limit",
    guarded: (value) => value === 0 || value > DEFAULT_BUDGET_USD,
  },
  lint: {
    key: "lint",
    flag: "--lint",
    env: "QUASAR_LINT",
    kind: several(command, 20),
    fallback: [],
    help: "a check whose output the coder mends within the cycle (repeatable)",
    guarded: isAny,
  },
  filter: {
    key: "filter",
    flag: "--filter",
    env: "QUASAR_FILTER",
    kind: several(command, 20),
    fallback: [],
    help: "a check that must pass before a review (repeatable)",
    guarded: isAny,
  },
  maxLintRetries: {
    key: "max_lint_retries",
    flag: "--max-lint-retries",
    env: "QUASAR_MAX_LINT_RETRIES",
    kind: whole(0, 20),
    fallback: 2,
    help: "how often the coder may mend lint in a cycle",
    guarded: free,
  },
  turnTimeout: {
    key: "turn_timeout_minutes",
    flag: "--turn-timeout",
    env: "QUASAR_TURN_TIMEOUT_MINUTES",
    kind: minutes,
    fallback: 60,
    help: "minutes that one turn of an agent may take",
    guarded: free,
  },
  idleTimeout: {
    key: "idle_timeout_minutes",
    flag: "--idle-timeout",
    env: "QUASAR_IDLE_TIMEOUT_MINUTES",
    kind: minutes,
    fallback: 10,
    help: "minutes that an agent may be silent",
    guarded: free,
  },
  allowedTools: {
    key: "allowed_tools",
    flag: "--allow-tool",
    env: "QUASAR_ALLOWED_TOOLS",
    kind: several(text(1000, "<tool>"), 100),
    fallback: [],
    help: 'what claude may use beside editing files: "Bash(npm test *)" (repeatable)',
    guarded: isAny,
  },
  passEnv: {
    key: "pass_env",
    flag: "--pass-env",
    env: "QUASAR_PASS_ENV",
    kind: several(text(200, "<name>"), 100),
    fallback: [],
    help: "a variable that agents may see beside the usual ones (repeatable)",
    guarded: isAny,
  },
  detectStruggle: {
    key: "detect_struggle",
    flag: "--detect-struggle",
    env: "QUASAR_DETECT_STRUGGLE",
    kind: yesOrNo,
    fallback: false,
    help: "stop early when the loop goes in circles",
    guarded: free,
  },
  projectContext: {
    key: "project_context",
    flag: "--project-context",
    env: "QUASAR_PROJECT_CONTEXT",
    kind: text(20_000),
    fallback: "",
    help: "goals and constraints, told to both agents",
    guarded: free,
  },
  leash: {
    key: "leash",
    flag: "--leash",
    env: "QUASAR_LEASH",
    kind: yesOrNo,
    fallback: false,
    help: "agents end with quasar, however it ends: for CI",
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
};

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS) as SettingName[];
