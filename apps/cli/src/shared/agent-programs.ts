import { AGENT_PRESETS, presetOf, type DetectedAgent } from "@quasar/agents/presets";

/** The titles of the agents that are known, for a sentence: `Claude Code or Codex`. */
export const AGENT_TITLES: string = new Intl.ListFormat("en-US", { type: "disjunction" }).format(
  AGENT_PRESETS.map(({ title }) => title),
);

/** What a person does first so that an agent may ask its model; nothing where it may, or does not say. */
export function loginSteps({ kind, login }: DetectedAgent): readonly string[] {
  const preset = presetOf(kind);
  return login.state === "out" && preset !== undefined ? [preset.login.command] : [];
}
