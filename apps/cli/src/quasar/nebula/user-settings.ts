import type { UserSettings } from "@quasar/nebula/spec";
import type { Workspace } from "@quasar/runs";
import { openUser } from "@quasar/runs/internal";
import { resolve } from "../../shared/config/layers.ts";
import type { Settings } from "../../shared/config/settings.ts";
import { readConfig } from "../config/load.ts";

/** What a user has set for all their runs, as a nebula takes it where it says nothing itself. */
export function userSettings(settings: Settings): UserSettings {
  const { coder, reviewer, coderModel, maxCycles, maxBudgetUsd, filter } = settings;
  return {
    ...{ coder, reviewer, maxBudgetUsd, maxTotalUsd: settings.nebulaMaxTotalUsd },
    maxReviewCycles: maxCycles,
    model: coderModel === "" ? undefined : coderModel,
    checks: filter,
  };
}

/** What the user, and the repository for its users, have set; nothing is trusted by asking. */
export function settingsIn({ root }: Workspace): Settings {
  const { folders } = openUser();
  const { layers } = readConfig({ flags: {}, env: process.env, cwd: root, root, folders });
  return resolve(layers);
}
