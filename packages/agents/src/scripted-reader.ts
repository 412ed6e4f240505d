import type { AgentEvent } from "./agent.ts";
import * as v from "valibot";
import { ScriptedFailure } from "./agent-script.ts";
import type { StopReason } from "./child.ts";
import { parseLine } from "./json-line.ts";

const Line = v.variant("type", [
  v.object({ type: v.literal("session"), sessionId: v.string() }),
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.literal("tool"), name: v.string(), detail: v.string() }),
  v.object({ type: v.literal("usage"), costUsd: v.number() }),
  v.object({
    type: v.literal("result"),
    text: v.string(),
    costUsd: v.number(),
    failure: v.optional(ScriptedFailure),
    /** Whether more may have been billed. */
    partial: v.optional(v.boolean(), false),
  }),
]);

export type ScriptedResult = v.InferOutput<typeof Line> & { readonly type: "result" };

/** What has been read of a scripted turn. */
export interface ScriptedReading {
  readonly spentUsd: number;
  readonly sessionId: string | undefined;
  readonly result: ScriptedResult | undefined;
}

export interface ScriptedReader {
  readonly reading: ScriptedReading;
  readonly read: (line: string) => StopReason | undefined;
}

/** Reads the scripted agent's events as they come. */
export function createScriptedReader(
  emit: (event: AgentEvent) => void,
  maxCostUsd: number = Number.POSITIVE_INFINITY,
): ScriptedReader {
  const reading: { -readonly [K in keyof ScriptedReading]: ScriptedReading[K] } = {
    spentUsd: 0,
    sessionId: undefined,
    result: undefined,
  };
  return {
    reading,
    read(text) {
      const line = parseLine(Line, text);
      if (line?.type === "result") {
        reading.result = line;
      } else if (line) {
        reading.spentUsd = line.type === "usage" ? line.costUsd : reading.spentUsd;
        reading.sessionId = line.type === "session" ? line.sessionId : reading.sessionId;
        emit(line);
      }
      return reading.spentUsd > maxCostUsd ? "budget" : undefined;
    },
  };
}

/** What of a line decides how the turn ended and what it cost, as it stands; `undefined`: nothing of it. */
export function reduceScriptedLine(text: string): string | undefined {
  const line = parseLine(Line, text);
  return line === undefined || line.type === "text" || line.type === "tool" ? undefined : text;
}
