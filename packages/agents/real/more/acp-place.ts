import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAcpAgent } from "../../src/acp.ts";
import { acpOptionsOf } from "../../src/acp/preset-options.ts";
import { PRESETS } from "../../src/presets.ts";
import type { AgentInvoker, AgentRequest } from "../../src/agent.ts";
import { createPlace, type Place } from "../place.ts";

export const ACP_AGENTS = { gemini: PRESETS.gemini, copilot: PRESETS.copilot } as const;
export type AcpName = keyof typeof ACP_AGENTS;

/** The variables by which each reaches nothing but the stub at `url`. */
const OWN: Readonly<Record<AcpName, (url: string) => Record<string, string>>> = {
  gemini: (url) => ({ GEMINI_API_KEY: "gemini-stub-key", GOOGLE_GEMINI_BASE_URL: url }),
  copilot: (url) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: url,
    COPILOT_PROVIDER_TYPE: "anthropic",
    COPILOT_PROVIDER_API_KEY: "copilot-stub-key",
    COPILOT_MODEL: "claude-sonnet-4-5",
    // It unpacks itself before its first start in a home, 235 MB.
    COPILOT_PKG_CACHE_HOME: join(import.meta.dirname, "copilot", "node_modules", ".cache"),
  }),
};

const MODELS: Readonly<Record<AcpName, string>> = {
  gemini: "gemini-2.5-pro",
  copilot: "claude-sonnet-4-5",
};

/** An agent in a place, for another process too. */
export function createRealAcpAgent(
  name: AcpName,
  role: AgentRequest["role"],
  root: string,
  url: string,
  model: string = MODELS[name],
): AgentInvoker {
  const home = join(root, "home");
  const nowhere = "http://127.0.0.1:9";
  mkdirSync(join(root, "tmp"), { recursive: true });
  const options = acpOptionsOf(ACP_AGENTS[name], role);
  if (options === undefined) throw new Error(`${name} does not speak the protocol`);
  return createAcpAgent({
    ...options,
    model,
    env: {
      PATH: `${join(import.meta.dirname, name, "node_modules", ".bin")}:${process.env["PATH"]}`,
      HOME: home,
      TMPDIR: join(root, "tmp"),
      HTTPS_PROXY: nowhere,
      HTTP_PROXY: nowhere,
      NO_PROXY: "127.0.0.1",
      ...OWN[name](url),
    },
    // A session that was begun in this minute is loaded in the next one.
    limits: { idleTimeoutMs: 150_000, totalTimeoutMs: 280_000 },
  });
}

export type AcpPlace = Pick<Place, "root" | "workTree" | "git" | "remove">;

/** A place in which Gemini CLI asks twice, where it would ask ten times, and sends no statistics. */
export function createAcpPlace(url: string): AcpPlace {
  const place = createPlace(url);
  const settings = join(place.root, "home", ".gemini");
  mkdirSync(settings);
  writeFileSync(
    join(settings, "settings.json"),
    '{"general":{"maxAttempts":2},"privacy":{"usageStatisticsEnabled":false}}',
  );
  return place;
}
