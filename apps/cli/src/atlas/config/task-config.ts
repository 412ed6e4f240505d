import type { AutoCheckpointConfig } from "@quasar/hookfile/checkpoints";
import { parseRetention, type RetentionPolicy } from "@quasar/hookfile/folders";
import type { TaskConfig, ValidationConfig } from "@quasar/tasks";
import { ATLAS, type AtlasSettings } from "./settings.ts";

const MINUTE_MS = 60_000;

/** What a task is started with: fixed, so that a crash changes nothing about it. */
export function taskConfig(settings: AtlasSettings, validation: ValidationConfig): TaskConfig {
  const { coder, coderModel, reviewer, reviewerModel } = settings;
  const { maxBudgetUsd, maxCycles, notify, gitHooks } = settings;
  return {
    agent: coder,
    model: coderModel,
    reviewer,
    reviewerModel,
    maxBudgetUsd,
    maxCycles,
    validation,
    checkpoints: autoCheckpoints(settings),
    notify,
    gitHooks,
    settings: ATLAS.toToml(agentSettingsOf(settings)),
  };
}

/** What a person has configured of the validation; commands are searched for where none are. */
export function validationConfig({
  validationCommands,
  validationTimeout,
  maxFixes,
}: AtlasSettings): Partial<Omit<ValidationConfig, "source">> {
  const limits = { timeoutMs: validationTimeout * MINUTE_MS, maxFixes };
  return validationCommands.length === 0 ? limits : { ...limits, commands: validationCommands };
}

/** The limits of a task's validation, where a person now says other ones: what is not said stays. */
export function validationLimits(
  stored: ValidationConfig,
  { validationTimeout, maxFixes = stored.maxFixes }: Partial<AtlasSettings>,
): Pick<ValidationConfig, "timeoutMs" | "maxFixes"> {
  const timeoutMs =
    validationTimeout === undefined ? stored.timeoutMs : validationTimeout * MINUTE_MS;
  return { timeoutMs, maxFixes };
}

function autoCheckpoints(settings: AtlasSettings): AutoCheckpointConfig {
  const { onCommit, onPush, onPr, onValidation, onStepComplete, interval } = settings;
  return {
    onCommit,
    onPush,
    onPr,
    onValidation,
    onStepComplete,
    interval: parseRetention(interval),
  };
}

export function retentionPolicy(settings: AtlasSettings): RetentionPolicy {
  const { completedRetention, failedRetention, abandonedRetention } = settings;
  return {
    completed: parseRetention(completedRetention),
    failed: parseRetention(failedRetention),
    abandoned: parseRetention(abandonedRetention),
  };
}

function agentSettingsOf(settings: AtlasSettings): Partial<AtlasSettings> {
  const { coder, reviewer, coderModel, reviewerModel } = settings;
  const { maxRequests, turnTimeout, idleTimeout, allowedTools } = settings;
  const { passEnv, leash, waitLimit, retries } = settings;
  const limits = { maxRequests, turnTimeout, idleTimeout };
  const who = { coder, reviewer, coderModel, reviewerModel };
  const { checkPassEnv, sandbox, projectSettings, userHooks, claudeArgs, codexArgs } = settings;
  const may = { checkPassEnv, sandbox, projectSettings, userHooks, claudeArgs, codexArgs };
  return { ...who, ...may, ...limits, allowedTools, passEnv, leash, waitLimit, retries };
}

/**
 * The settings of who works on a task, as it was started with them.
 *
 * @throws {CliError} `ERR_CONFIG` where task.json has a value that is none.
 */
export function storedSettings({ settings }: TaskConfig): Partial<AtlasSettings> {
  return ATLAS.tomlLayer("task.json", settings).values;
}
