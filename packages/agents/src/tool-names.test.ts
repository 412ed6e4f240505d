import { expect, test } from "vitest";
import { toolName } from "./tool-names.ts";

test.for([
  ["codex", "command_execution", "Bash"],
  ["opencode", "bash", "Bash"],
  ["qwen", "run_shell_command", "Bash"],
  ["acp", "execute", "Bash"],
  ["acp", "other", "other"],
  ["qwen", "mcp__db__query", "mcp__db__query"],
  ["opencode", "toString", "toString"],
  ["opencode", "\u001b[2Jgone", "gone"],
] as const)("of %s the tool %s is shown as %s", ([agent, name, told]) => {
  expect(toolName(agent, name)).toBe(told);
});
