import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RealAgent } from "../first-task.ts";

const MORE = fileURLToPath(new URL("../../../../packages/agents/real/more", import.meta.url));
const MODEL = "claude-sonnet-4-5";

const installed = (name: string): Pick<RealAgent, "program" | "bin"> => ({
  program: name,
  bin: join(MORE, name, "node_modules", ".bin"),
});

/** The agents that are installed one by one, by name. */
export const MORE_AGENTS = {
  opencode: {
    name: "OpenCode",
    ...installed("opencode"),
    reviewsInText: true,
    home: (url) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        model: `anthropic/${MODEL}`,
        provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: "sk-ant-stub" } } },
      }),
    }),
  },
  qwen: {
    name: "Qwen Code",
    ...installed("qwen"),
    home: (url) => ({
      ".qwen/settings.json": JSON.stringify({
        $version: 4,
        security: { auth: { selectedType: "anthropic" } },
        model: { name: MODEL },
        env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-ant-stub", ANTHROPIC_MODEL: MODEL },
      }),
    }),
  },
  gemini: {
    name: "Gemini CLI",
    ...installed("gemini"),
    reviewsInText: true,
    env: (url) => ({ GEMINI_API_KEY: "gemini-stub-key", GOOGLE_GEMINI_BASE_URL: url }),
    home: () => ({
      ".gemini/settings.json": JSON.stringify({
        model: { name: "gemini-2.5-pro" },
        general: { maxAttempts: 2 },
        privacy: { usageStatisticsEnabled: false },
      }),
    }),
  },
  copilot: {
    name: "Copilot",
    ...installed("copilot"),
    reviewsInText: true,
    needsFolders: true,
    env: (url) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: url,
      COPILOT_PROVIDER_TYPE: "anthropic",
      COPILOT_PROVIDER_API_KEY: "copilot-stub-key",
      COPILOT_MODEL: MODEL,
      // It unpacks itself before its first start in a home, 235 MB.
      COPILOT_PKG_CACHE_HOME: join(MORE, "copilot", "node_modules", ".cache"),
    }),
  },
} as const satisfies Readonly<Record<string, RealAgent>>;
