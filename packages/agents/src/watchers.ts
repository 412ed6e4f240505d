import { type AcpReaderOptions, createAcpReader } from "./acp/reader.ts";
import type { StopReason } from "./child.ts";
import type { ClaudeMeterOptions } from "./claude/meter.ts";
import { createClaudeReader } from "./claude/reader.ts";
import { createCodexMeter, type CodexMeterOptions } from "./codex/meter.ts";
import { createCodexReader } from "./codex/reader.ts";
import { isLimited, type TurnLimits } from "./limits.ts";
import { createOpencodeMeter, type OpencodeMeterOptions } from "./opencode/meter.ts";
import { createOpencodeReader } from "./opencode/reader.ts";
import { QWEN } from "./qwen/dialect.ts";
import { createScriptedReader } from "./scripted-reader.ts";

/** Who reads an agent's output for what it has cost: data, as it goes to another process. */
export type WatcherSpec = { readonly limits: TurnLimits } & (
  | { readonly kind: "claude"; readonly meter: ClaudeMeterOptions }
  | { readonly kind: "codex"; readonly meter: CodexMeterOptions }
  | { readonly kind: "scripted" }
  | { readonly kind: "acp"; readonly reader: AcpReaderOptions }
  | { readonly kind: "opencode"; readonly meter: OpencodeMeterOptions }
  | { readonly kind: "qwen"; readonly meter: ClaudeMeterOptions }
);

const nobody = () => undefined;

/** Who reads a turn's output; nobody reads it where there is nothing to hold the turn to. */
export function watcherFor(spec: WatcherSpec): WatcherSpec | undefined {
  return isLimited(spec.limits) ? spec : undefined;
}

/** Reads line by line, and says when the turn has cost more than it may. */
export function createWatcher(spec: WatcherSpec): (line: string) => StopReason | undefined {
  switch (spec.kind) {
    case "claude":
      return createClaudeReader(nobody, spec.meter, spec.limits).read;
    case "codex":
      return createCodexReader(nobody, createCodexMeter(spec.meter), spec.limits).read;
    case "scripted":
      return createScriptedReader(nobody, spec.limits.maxCostUsd).read;
    case "acp":
      return createAcpReader(nobody, spec.reader, spec.limits).read;
    case "opencode":
      return createOpencodeReader(nobody, createOpencodeMeter(spec.meter), spec.limits).read;
    case "qwen":
      return createClaudeReader(nobody, spec.meter, spec.limits, QWEN).read;
  }
}
