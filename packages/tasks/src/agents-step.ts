import type { HookFile } from "@quasar/hookfile";

const OF_AN_AGENT: readonly string[] = ["ai", "loop"];

/** Whether a step runs that an agent can work on by HOOK.md alone: the others are done by the engine. */
export function isAgentsStep({ state, steps, currentStep }: HookFile): boolean {
  const step = steps.find(({ name }) => name === currentStep?.stepName);
  return state === "step_running" && OF_AN_AGENT.includes(step?.type ?? "");
}
