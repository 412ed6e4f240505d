import { AGENT_SETTINGS } from "./agent-settings.ts";
import { COMMIT_SETTINGS } from "./commit-settings.ts";
import { CONTENT_SETTINGS } from "./content-settings.ts";
import { GAP_SETTINGS } from "./gap-settings.ts";
import { LAYOUT_SETTINGS } from "./layout-settings.ts";
import { REFUSED_SETTINGS } from "./refused-settings.ts";
import type { Setting } from "./setting.ts";

export const SETTINGS: readonly Setting[] = [
  ...COMMIT_SETTINGS,
  ...REFUSED_SETTINGS,
  ...GAP_SETTINGS,
  ...CONTENT_SETTINGS,
  ...LAYOUT_SETTINGS,
  ...AGENT_SETTINGS,
];
