import { presetOf, type DetectedAgent } from "@quasar/agents/presets";

/** What a person does first so that an agent may ask its model; nothing where it may, or does not say. */
export function loginSteps({ kind, login }: DetectedAgent): readonly string[] {
  const preset = presetOf(kind);
  return login.state === "out" && preset !== undefined ? [preset.login.command] : [];
}
