export { acpOptionsOf, acpOptionsOfLine } from "../acp/preset-options.ts";
export { type DetectedAgent, detectAgents } from "../detect.ts";
export { type AgentPreset, installCommand, lossesOf } from "../preset.ts";
export {
  AGENT_PRESETS,
  LINE_KINDS,
  type LineKind,
  presetOf,
  RESERVED_NAMES,
} from "../presets.ts";
