import type { StopReason } from "./child.ts";
import { createClaudeReader } from "./claude/reader.ts";
import { createCodexMeter, type CodexMeterOptions } from "./codex/meter.ts";
import { createCodexReader } from "./codex/reader.ts";
import { createScriptedReader } from "./scripted-reader.ts";

/** Who reads an agent's output for what it has cost: data, as it goes to another process. */
export type WatcherSpec =
  | { readonly kind: "claude" | "scripted"; readonly maxCostUsd: number }
  | { readonly kind: "codex"; readonly maxCostUsd: number; readonly meter: CodexMeterOptions };

const nobody = () => undefined;

/** Reads line by line, and says when the turn has cost more than it may. */
export function createWatcher(spec: WatcherSpec): (line: string) => StopReason | undefined {
  switch (spec.kind) {
    case "claude":
      return createClaudeReader(nobody, spec.maxCostUsd).read;
    case "codex":
      return createCodexReader(nobody, createCodexMeter(spec.meter), spec.maxCostUsd).read;
    case "scripted":
      return createScriptedReader(nobody, spec.maxCostUsd).read;
  }
}
