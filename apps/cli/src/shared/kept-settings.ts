import { isDeepStrictEqual } from "node:util";
import type { Checkpoint } from "@quasar/checkpoint";
import type { Workspace } from "@quasar/runs";
import { type KeptSettings, loadKeptSettings } from "@quasar/runs/internal";
import { tomlLayer, toToml } from "./config/layers.ts";
import type { Settings } from "./config/settings.ts";

/** The settings that a run was started with; none for a checkpoint that another program wrote. */
export function storedSettings({ settings = {} }: Pick<Checkpoint, "settings">): Partial<Settings> {
  return read(settings);
}

/** Whether a resume would find the settings that a run has now; one that was never saved has none to find. */
export async function areSettingsStored(
  workspace: Workspace,
  runId: string,
  settings: Settings,
): Promise<boolean> {
  const kept = await loadKeptSettings(workspace, runId);
  return kept === undefined || isDeepStrictEqual(read(kept), read(toToml(settings)));
}

function read(kept: KeptSettings): Partial<Settings> {
  if (Object.keys(kept).length === 0) return {};
  return tomlLayer("the settings of the run", kept).values;
}
