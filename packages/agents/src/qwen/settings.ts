import { readFileSync } from "node:fs";
import { platform } from "node:os";
import type { AgentFailure } from "../agent.ts";
import { failure } from "../failure.ts";
import { hasCode } from "../turn-files.ts";

type Settings = Readonly<Record<string, unknown>>;

/** Our settings, which go before all others: no updates, no news, and one attempt at a request that was refused. */
const OURS: Settings = {
  $version: 4,
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  memory: {
    ...{ enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
  },
  model: { generationConfig: { maxRetries: 0 } },
};

/** With them only the folders in our own file count as trusted, whatever the user says of folders. */
const trust = (isTrusted: boolean): Settings => ({
  security: { folderTrust: { enabled: !isTrusted } },
});

/** Where an administrator's settings are. */
function systemPath(env: Readonly<Record<string, string | undefined>>): string {
  return (
    env["QWEN_CODE_SYSTEM_SETTINGS_PATH"] ??
    (platform() === "darwin"
      ? "/Library/Application Support/QwenCode/settings.json"
      : "/etc/qwen-code/settings.json")
  );
}

const isObject = (value: unknown): value is Settings =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function merged(under: Settings, over: Settings): Settings {
  const result = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = result.get(key);
    result.set(key, isObject(below) && isObject(value) ? merged(below, value) : value);
  }
  return Object.fromEntries(result);
}

/** Files of a turn by which Qwen Code is held to what we say, and the variables that name them. */
export interface QwenHold {
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

export interface HoldOptions {
  readonly workTree: string;
  readonly isTrusted: boolean;
  /** What Qwen Code is started with. The administrator's settings that it would read count beside ours. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path for a file of the turn with the given ending. */
  readonly fileOf: (ending: string) => string;
}

/**
 * How a repository is kept from deciding what Qwen Code does: as an untrusted folder it has no settings, no
 * variables, and no say in what is allowed.
 */
export function holdQwen({
  workTree,
  isTrusted,
  env,
  fileOf,
}: HoldOptions): QwenHold | AgentFailure {
  const [settings, folders] = [fileOf("settings"), fileOf("folders")];
  const path = systemPath(env);
  const administrators = readSettings(path);
  if (administrators instanceof SyntaxError) {
    return failure("usage", `Qwen Code's ${path} is no JSON: ${administrators.message}.`);
  }
  return {
    files: {
      [settings]: JSON.stringify(merged(administrators, merged(OURS, trust(isTrusted)))),
      [folders]: JSON.stringify({ [workTree]: isTrusted ? "TRUST_FOLDER" : "DO_NOT_TRUST" }),
    },
    env: {
      QWEN_CODE_SYSTEM_SETTINGS_PATH: settings,
      QWEN_CODE_TRUSTED_FOLDERS_PATH: folders,
      QWEN_USAGE_STATISTICS_ENABLED: "false",
    },
  };
}

function readSettings(path: string): Settings | SyntaxError {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    if (hasCode(error, "ENOENT")) return {};
    throw error;
  }
}

/** The model that the user's settings name, as far as they can be read: Qwen Code itself says what is wrong with them. */
export function configuredModel(dir: string): string | undefined {
  try {
    const settings = readSettings(`${dir}/settings.json`);
    const { model } = settings instanceof SyntaxError ? {} : settings;
    const name = isObject(model) ? model["name"] : undefined;
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
