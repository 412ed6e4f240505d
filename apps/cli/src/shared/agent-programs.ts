import type { DetectedAgent } from "@quasar/agents";

/** The agents that are searched for. */
export const AGENT_PROGRAMS: readonly DetectedAgent["kind"][] = ["claude", "codex"];

const PACKAGES: Readonly<Record<DetectedAgent["kind"], string>> = {
  claude: "@anthropic-ai/claude-code",
  codex: "@openai/codex",
};

const LOGIN: Readonly<Record<DetectedAgent["kind"], string>> = {
  claude: "claude auth login",
  codex: "codex login",
};

/** Logs a person in to an agent's program. */
export function loginCommand(kind: DetectedAgent["kind"]): string {
  return LOGIN[kind];
}

/** What a person does first so that an agent may ask its model; nothing where it may, or does not say. */
export function loginSteps({ kind, login }: DetectedAgent): readonly string[] {
  return login.state === "out" ? [LOGIN[kind]] : [];
}

/** Installs an agent's program. */
export function installCommand(kind: DetectedAgent["kind"]): string {
  return `npm install -g ${PACKAGES[kind]}`;
}
