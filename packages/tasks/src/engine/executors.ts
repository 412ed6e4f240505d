import type { StepRecord } from "@quasar/hookfile";
import type { StepExecutor } from "../steps/step.ts";
import type { EngineParts } from "./parts.ts";

/** Who does a step; `undefined`: a person. */
export function executorOf(
  { executors }: Pick<EngineParts, "executors">,
  { type }: Pick<StepRecord, "type">,
): StepExecutor | undefined {
  return type === "human" ? undefined : executors[type];
}
