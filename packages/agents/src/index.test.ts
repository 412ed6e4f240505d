import { expect, test } from "vitest";
import * as api from "./index.ts";

test("exports what its users rely on", () => {
  expect(Object.keys(api).toSorted()).toEqual([
    "AgentsError",
    "createAcpAgent",
    "createAgent",
    "createClaudeAgent",
    "createCodexAgent",
    "createCommandAgent",
    "createOpencodeAgent",
    "createQwenAgent",
    "createScriptedAgent",
    "parseAgentScript",
  ]);
});

test.for([
  [{ kind: "claude" }, "claude"],
  [{ kind: "codex" }, "codex"],
  [{ kind: "command", command: "true" }, "command"],
  [{ kind: "scripted", turns: [] }, "scripted"],
  [{ kind: "opencode" }, "opencode"],
  [{ kind: "qwen" }, "qwen"],
] as const)("makes of %j an agent", ([config, name]) => {
  expect(api.createAgent(config).name).toBe(name);
});

test("refuses a kind that it does not know", () => {
  const config = { kind: "gemini" } as unknown as api.AgentConfig;
  expect(() => api.createAgent(config)).toThrow(
    expect.objectContaining({ name: "AgentsError", code: "ERR_INVALID_CONFIG" }),
  );
});
