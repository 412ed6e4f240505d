export { type AgentPreset, installCommand, lossesOf } from "../preset.ts";
export { AGENT_PRESETS, presetOf } from "../presets.ts";
