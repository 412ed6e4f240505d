import type { Checkpoint } from "@quasar/checkpoint";
import type { User, FoundCheckpoint, ResumedWith } from "@quasar/runs/internal";
import { money } from "@quasar/runs/text";
import { agentsOf } from "../../shared/agents.ts";
import { runOptionsOf } from "../run-options.ts";
import { storedSettings } from "../../shared/kept-settings.ts";
import { type Layer, resolve } from "../../shared/config/layers.ts";
import { loadConfig, loadUnkept } from "../config/load.ts";
import type { Settings } from "../../shared/config/settings.ts";

/**
 * The settings beneath the flags. What is sealed by us carries those that the run began with; what
 * another program wrote carries its limits, and the rest is taken from where a new run takes it.
 */
export function layersOf(
  { loaded: { seal, checkpoint } }: FoundCheckpoint,
  { folders }: User,
  { trustConfig }: { readonly trustConfig?: true | undefined },
  root: string,
): readonly Layer[] {
  const stored = seal === "valid" ? storedSettings(checkpoint) : {};
  if (stored.coder !== undefined) {
    return [...loadUnkept(folders), { source: "the run", values: stored, warnings: [] }];
  }
  const trust = trustConfig === true;
  const config = loadConfig({
    flags: {},
    env: process.env,
    cwd: process.cwd(),
    root,
    folders,
    trust,
  });
  return [limitsOf(checkpoint, seal === "valid" ? undefined : resolve(config)), ...config];
}

/** The settings to continue with: a tool that is allowed now is allowed beside those of the run. */
export function resolveResumed(flags: Layer, beneath: readonly Layer[]): Settings {
  const before = resolve(beneath);
  const allowedTools = [...before.allowedTools, ...(flags.values.allowedTools ?? [])];
  return { ...resolve([flags, ...beneath]), allowedTools: [...new Set(allowedTools)] };
}

/** @param own - The user's own settings, where somebody else wrote the checkpoint: it does not raise their budget. */
function limitsOf({ maxCycles, maxBudgetUsd }: Checkpoint, own: Settings | undefined): Layer {
  const source = "the checkpoint";
  const ownUsd = own?.maxBudgetUsd ?? 0;
  const raises = ownUsd > 0 && (maxBudgetUsd === 0 || maxBudgetUsd > ownUsd);
  if (!raises) return { source, values: { maxCycles, maxBudgetUsd }, warnings: [] };
  const said =
    maxBudgetUsd === 0 ? "has no budget limit" : `has a budget of ${money(maxBudgetUsd)}`;
  const warning = `the checkpoint ${said}, which you did not set: using ${money(ownUsd)}; for more: --max-budget <usd>`;
  return { source, values: { maxCycles, maxBudgetUsd: ownUsd }, warnings: [warning] };
}

/** What a run is resumed with. @param onMissing - As {@link agentsOf} has it. */
export function resumedWith(
  settings: Settings,
  checkpoint: Checkpoint,
  onMissing?: Parameters<typeof agentsOf>[2],
): ResumedWith {
  const role = checkpoint.turn?.role ?? "coder";
  const hasOtherLimits = settings[role] !== (storedSettings(checkpoint)[role] ?? settings[role]);
  return { ...runOptionsOf(settings, agentsOf(settings, checkpoint, onMissing)), hasOtherLimits };
}
