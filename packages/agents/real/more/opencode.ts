import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker } from "../../src/agent.ts";
import { createOpencodeAgent, type OpencodeAgentOptions } from "../../src/opencode.ts";
import { createPlace, type Place, realEnvironment } from "../place.ts";

const BIN = join(import.meta.dirname, "opencode", "node_modules", ".bin");

export const MODEL = "anthropic/claude-sonnet-4-5";

/** OpenCode in a place. */
export function opencodeIn(
  root: string,
  url: string,
  options: OpencodeAgentOptions = {},
): AgentInvoker {
  const { PATH, ...others } = realEnvironment(root, url);
  const env = { ...others, PATH: `${BIN}:${PATH}` };
  return createOpencodeAgent({ env, model: MODEL, ...options });
}

/** A place whose user has OpenCode ask the stub at `url`, and lets it do anything. */
export function createOpencodePlace(url: string): Place {
  const place = createPlace(url);
  const folder = join(place.root, "home", ".config", "opencode");
  mkdirSync(folder, { recursive: true });
  const anthropic = { options: { baseURL: `${url}/v1`, apiKey: "sk-ant-stub" } };
  const permission = { "*": "allow", edit: "allow", bash: { "*": "allow", "touch *": "allow" } };
  const settings = { provider: { anthropic }, permission };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify(settings));
  return place;
}
