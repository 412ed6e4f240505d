import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker } from "../../src/agent.ts";
import { createQwenAgent, type QwenAgentOptions } from "../../src/qwen.ts";
import { createPlace, type Place, realEnvironment } from "../place.ts";

const BIN = join(import.meta.dirname, "qwen", "node_modules", ".bin");

export const MODEL = "claude-sonnet-4-5";

/** Qwen Code in a place. */
export function qwenIn(root: string, url: string, options: QwenAgentOptions = {}): AgentInvoker {
  const { PATH, ...others } = realEnvironment(root, url);
  const env = { ...others, PATH: `${BIN}:${PATH}` };
  const limits = { idleTimeoutMs: 180_000, totalTimeoutMs: 240_000 };
  return createQwenAgent({ env, passEnv: ["ANTHROPIC_*"], model: MODEL, limits, ...options });
}

/** A place whose user has Qwen Code ask the stub at `url`, and trusts every folder. */
export function createQwenPlace(url: string): Place {
  const place = createPlace(url);
  const folder = join(place.root, "home", ".qwen");
  mkdirSync(folder, { recursive: true });
  const auth = { selectedType: "anthropic" };
  const settings = { security: { auth, folderTrust: { enabled: false } } };
  const permissions = { allow: ["Bash(touch *)", "Edit", "WriteFile"] };
  writeFileSync(
    join(folder, "settings.json"),
    JSON.stringify({ $version: 4, ...settings, permissions, tools: { approvalMode: "yolo" } }),
  );
  return place;
}
