import { fileURLToPath } from "node:url";
import { withoutOwnBlock } from "@quasar/hookfile/internal";
import type { RunOptions } from "@quasar/runs";
import type { Agents } from "../shared/agents.ts";
import { environmentOfChecks } from "../shared/checks/environment.ts";
import { periodMs } from "../shared/config/kinds.ts";
import { toToml } from "../shared/config/layers.ts";
import type { Settings } from "../shared/config/settings.ts";
import { checksOf } from "./checks/options.ts";

/** The other command, beside this one: the git hook of its tasks comes and goes. */
const ATLAS = fileURLToPath(new URL("./atlas.js", import.meta.url));

/** Takes out of a git hook what that command has put there. */
export const withoutOwnHook: RunOptions["withoutOwnHook"] = withoutOwnBlock([
  process.execPath,
  ATLAS,
]);

/** The settings as a run takes them; it keeps them, so that a resume has the same. */
export function runOptionsOf(settings: Settings, { coder, reviewer }: Agents): RunOptions {
  const { maxCycles, maxBudgetUsd, maxTurnBudgetUsd, maxLintRetries, retries } = settings;
  const { detectStruggle, projectContext, leash, commitStyle, waitLimit } = settings;
  return {
    ...{ coder, reviewer, maxCycles, maxBudgetUsd, maxTurnBudgetUsd, maxLintRetries, retries },
    ...{ detectStruggle, projectContext, leash },
    ...checksOf(settings),
    checkEnv: environmentOfChecks(settings),
    commit: { style: commitStyle },
    waitLimitMs: periodMs(waitLimit) ?? 0,
    withoutOwnHook,
    settings: toToml(settings),
  };
}
