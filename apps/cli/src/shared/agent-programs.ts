import { type AgentPreset, presetOf, type DetectedAgent } from "@quasar/agents/presets";
import { withRemark } from "./remark.ts";

/** Logs a person in to an agent, as a next step. @param or - What else does. */
export function loginStep({ login: { command, then } }: AgentPreset, ...or: string[]): string {
  const notes = [...(then === undefined ? [] : [`then ${then}`]), ...or.map((way) => `or ${way}`)];
  return notes.length === 0 ? command : withRemark(command, notes.join(", "));
}

/** The same within a sentence. */
export function loginWords({ login: { command, then } }: AgentPreset): string {
  return then === undefined ? command : `${command} (then ${then})`;
}

/** What a person does first so that an agent may ask its model; nothing where it may, or does not say. */
export function loginSteps({ kind, login }: DetectedAgent): readonly string[] {
  const preset = presetOf(kind);
  return login.state === "out" && preset !== undefined ? [loginStep(preset)] : [];
}
