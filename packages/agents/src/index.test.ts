import { expect, test } from "vitest";
import * as api from "./index.ts";

test("exports what its users rely on", () => {
  expect(Object.keys(api).toSorted()).toEqual([
    "AGENT_KINDS",
    "AgentsError",
    "PRICES_AS_OF",
    "afterEnd",
    "checkEnvironment",
    "createAgent",
    "createClaudeAgent",
    "createCodexAgent",
    "createCommandAgent",
    "createEnvFileRedactor",
    "createRedactor",
    "createScriptedAgent",
    "detectAgents",
    "endRunProcesses",
    "findRunProcesses",
    "listRunProcesses",
    "parseAgentScript",
    "prewarm",
    "runMark",
    "supervisorErrors",
    "turnEndedAt",
    "watchTurn",
    "withheldFromChecks",
  ]);
});

test.for([
  [{ kind: "claude" }, "claude"],
  [{ kind: "codex" }, "codex"],
  [{ kind: "command", command: "true" }, "command"],
  [{ kind: "scripted", turns: [] }, "scripted"],
] as const)("makes of %j an agent", ([config, name]) => {
  expect(api.createAgent(config).name).toBe(name);
});

test("refuses a kind that it does not know", () => {
  const config = { kind: "gemini" } as unknown as api.AgentConfig;
  expect(() => api.createAgent(config)).toThrow(
    expect.objectContaining({ name: "AgentsError", code: "ERR_INVALID_CONFIG" }),
  );
});
