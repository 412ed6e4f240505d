export { AGENT_PRESETS, type AgentPreset, installCommand, presetOf } from "../presets.ts";
