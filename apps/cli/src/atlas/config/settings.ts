import type { TaskConfig, ValidationConfig } from "@quasar/tasks";
import type { AgentSettings } from "../../shared/agents.ts";
import { choice, minutes, text, whole, yesOrNo } from "../../shared/config/kinds.ts";
import {
  DEFAULT_BUDGET_USD,
  SETTINGS as QUASAR,
  type Settings,
} from "../../shared/config/settings.ts";
import {
  readerOf,
  type Setting,
  type SettingsReader,
  type SettingsTable,
} from "../../shared/config/table.ts";
import { commands, paths, time } from "./kinds.ts";

/** What a user of `atlas` can set. The doc of each is in {@link SETTINGS}. */
export interface AtlasSettings
  extends AgentSettings,
    Pick<Settings, "maxCycles" | "leash" | "waitLimit" | "retries"> {
  readonly template: string;
  readonly maxBudgetUsd: number;
  readonly baseBranch: string;
  readonly validationCommands: ValidationConfig["commands"];
  readonly validationTimeout: number;
  readonly maxFixes: number;
  readonly onCommit: boolean;
  readonly onPush: boolean;
  readonly onPr: boolean;
  readonly onValidation: boolean;
  readonly onStepComplete: boolean;
  readonly interval: string;
  readonly notify: string;
  readonly gitHooks: TaskConfig["gitHooks"];
  readonly templates: Readonly<Record<string, string>>;
  readonly completedRetention: string;
  readonly failedRetention: string;
  readonly abandonedRetention: string;
}

const free = (): boolean => false;
const always = (): boolean => true;

/** A setting of `quasar`, as `atlas` has it. */
function as<T>(env: string | undefined, { flag, ...setting }: Setting<T>): Setting<T> {
  return { ...setting, flag, env };
}

function on(trigger: string, when: string): Setting<boolean> {
  return {
    key: `checkpoints.on_${trigger}`,
    env: `ATLAS_CHECKPOINTS_ON_${trigger.toUpperCase()}`,
    kind: yesOrNo,
    fallback: true,
    help: `a checkpoint after ${when}`,
    guarded: free,
  };
}

/** What is kept of the user's own tasks is not for a repository to say. */
function retention(state: string, fallback: string): Setting<string> {
  return {
    key: `retention.${state}`,
    env: `ATLAS_RETENTION_${state.toUpperCase()}`,
    kind: time,
    fallback,
    help: `how long cleanup keeps the hook files of ${state} tasks`,
    guarded: always,
  };
}

/** Every setting there is. */
export const SETTINGS: SettingsTable<AtlasSettings> = {
  template: {
    key: "template",
    flag: "--template",
    env: "ATLAS_TEMPLATE",
    kind: text(100, "<name>"),
    fallback: "task",
    help: "which steps the task goes through: see atlas templates",
    guarded: free,
  },
  coder: as("ATLAS_CODER", QUASAR.coder),
  reviewer: as("ATLAS_REVIEWER", QUASAR.reviewer),
  coderModel: as("ATLAS_CODER_MODEL", QUASAR.coderModel),
  reviewerModel: as("ATLAS_REVIEWER_MODEL", QUASAR.reviewerModel),
  maxCycles: {
    ...as("ATLAS_MAX_CYCLES", QUASAR.maxCycles),
    help: "most cycles of a loop step",
  },
  maxBudgetUsd: {
    ...as("ATLAS_MAX_BUDGET_USD", QUASAR.maxBudgetUsd),
    fallback: DEFAULT_BUDGET_USD,
    help: "total budget of the task in USD across resumes; 0 = unlimited",
  },
  maxRequests: as("ATLAS_MAX_REQUESTS", QUASAR.maxRequests),
  turnTimeout: as("ATLAS_TURN_TIMEOUT_MINUTES", QUASAR.turnTimeout),
  idleTimeout: as("ATLAS_IDLE_TIMEOUT_MINUTES", QUASAR.idleTimeout),
  allowedTools: as("ATLAS_ALLOWED_TOOLS", QUASAR.allowedTools),
  passEnv: as("ATLAS_PASS_ENV", QUASAR.passEnv),
  checkPassEnv: as("ATLAS_CHECK_PASS_ENV", QUASAR.checkPassEnv),
  sandbox: as("ATLAS_SANDBOX", QUASAR.sandbox),
  projectSettings: as("ATLAS_PROJECT_SETTINGS", QUASAR.projectSettings),
  userHooks: as("ATLAS_USER_HOOKS", QUASAR.userHooks),
  claudeArgs: as("ATLAS_AGENT_CLAUDE_ARGS", QUASAR.claudeArgs),
  codexArgs: as("ATLAS_AGENT_CODEX_ARGS", QUASAR.codexArgs),
  ownAgents: as(undefined, QUASAR.ownAgents),
  prices: as(undefined, QUASAR.prices),
  leash: as("ATLAS_LEASH", {
    ...QUASAR.leash,
    help: "agents are killed when atlas exits: for CI",
  }),
  waitLimit: as("ATLAS_WAIT_LIMIT", QUASAR.waitLimit),
  retries: as("ATLAS_RETRIES", QUASAR.retries),
  baseBranch: {
    key: "base_branch",
    flag: "--base",
    env: "ATLAS_BASE_BRANCH",
    kind: text(200, "<branch>"),
    fallback: "",
    help: "the branch to start from; empty: the current one",
    guarded: free,
  },
  validationCommands: {
    key: "validation.commands",
    flag: "--validate",
    env: "ATLAS_VALIDATION_COMMANDS",
    kind: commands,
    fallback: [],
    help: "a command that must pass (repeatable); else scripts of package.json",
    guarded: (value) => value.length > 0,
  },
  validationTimeout: {
    key: "validation.timeout_minutes",
    flag: "--validation-timeout",
    env: "ATLAS_VALIDATION_TIMEOUT_MINUTES",
    kind: minutes,
    fallback: 10,
    help: "most minutes of one validation command",
    guarded: free,
  },
  maxFixes: {
    key: "validation.max_fixes",
    flag: "--max-fixes",
    env: "ATLAS_VALIDATION_MAX_FIXES",
    kind: whole(0, 20),
    fallback: 2,
    help: "fixes that an agent may try before a person is asked",
    guarded: free,
  },
  onCommit: on("commit", "each commit"),
  onPush: on("push", "each push"),
  onPr: on("pr", "a pull request was made"),
  onValidation: on("validation", "a validation that passed"),
  onStepComplete: on("step_complete", "each step"),
  interval: {
    key: "checkpoints.interval",
    flag: "--checkpoint-interval",
    env: "ATLAS_CHECKPOINTS_INTERVAL",
    kind: time,
    fallback: "5m",
    help: "a checkpoint each time so much has passed within a step; 0: none",
    guarded: free,
  },
  notify: {
    ...as("ATLAS_NOTIFY", QUASAR.notify),
    help: "a command to run when a person is needed and at the end",
  },
  gitHooks: {
    key: "git_hooks",
    flag: "--git-hooks",
    env: "ATLAS_GIT_HOOKS",
    kind: choice("auto", "print", "off"),
    fallback: "auto",
    help: "install the post-commit hook, print its line, or neither",
    guarded: free,
  },
  templates: {
    key: "templates",
    env: "ATLAS_TEMPLATES",
    kind: paths,
    fallback: {},
    help: 'templates of your own: name = "path of a TOML file", from this file\'s folder',
    guarded: (value) => Object.keys(value).length > 0,
  },
  completedRetention: retention("completed", "30d"),
  failedRetention: retention("failed", "14d"),
  abandonedRetention: retention("abandoned", "7d"),
};

/** Reads the settings of `atlas`. */
export const ATLAS: SettingsReader<AtlasSettings> = readerOf(SETTINGS, {
  prefix: "ATLAS_",
  otherVariables: ["ATLAS_HOME", "ATLAS_TASK_ID", "ATLAS_EVENT", "ATLAS_MESSAGE"],
});
