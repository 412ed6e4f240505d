import type { Checkpoint } from "@quasar/checkpoint";
import type { Layer } from "../config/layers.ts";
import { loadConfig } from "../config/load.ts";
import { storedSettings } from "../runs/store.ts";
import type { User } from "../user.ts";
import type { FoundCheckpoint } from "./find.ts";

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
    return [{ source: "the run", values: stored, warnings: [] }];
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
  return [limitsOf(checkpoint), ...config];
}

function limitsOf({ maxCycles, maxBudgetUsd }: Checkpoint): Layer {
  return { source: "the checkpoint", values: { maxCycles, maxBudgetUsd }, warnings: [] };
}
