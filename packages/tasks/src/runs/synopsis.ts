import type { HookFile } from "@quasar/hookfile";
import { generateSynopsis } from "@quasar/hookfile/hook-md";
import type { AgentInvoker } from "@quasar/agents";

/** The line that tells an agent of the task, as it is while a step is worked on. */
export function synopsisOf(hook: HookFile, home: string): string {
  return generateSynopsis({ ...hook, state: "step_running" }, home);
}

const SYNOPSIS = /^\[ATLAS RECOVERY\] Task '[^'\n]*' in progress\. [^\n]*\n+/u;

/** A prompt as it is without the line in front. */
export function withoutSynopsis(prompt: string): string {
  return prompt.replace(SYNOPSIS, "");
}

/** An agent that is told the line before all else, in each turn. */
export function withSynopsis(agent: AgentInvoker, synopsis: string): AgentInvoker {
  return {
    ...agent,
    invoke: (request, options) =>
      agent.invoke({ ...request, prompt: `${synopsis}\n\n${request.prompt}` }, options),
  };
}
