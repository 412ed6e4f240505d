import type { UserSettings } from "@quasar/nebula/spec";
import type { Settings } from "../../shared/config/settings.ts";

/** What a user has set for all their runs, as a nebula takes it where it says nothing itself. */
export function userSettings(settings: Settings): UserSettings {
  const { coder, reviewer, coderModel, maxCycles, maxBudgetUsd, filter } = settings;
  return {
    ...{ coder, reviewer, maxBudgetUsd },
    maxReviewCycles: maxCycles,
    model: coderModel === "" ? undefined : coderModel,
    checks: filter,
  };
}
