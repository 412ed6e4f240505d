import { expect, test } from "vitest";
import { steersAgents } from "./steering.ts";

test.for([
  ...["CLAUDE.md", "a/AGENTS.md", "GEMINI.md", "QWEN.md", ".mcp.json", "opencode.jsonc"],
  ...[
    ".claude/settings.json",
    "a/.codex/x",
    ".gemini/settings.json",
    ".qwen/x",
    ".opencode/plugin/x.js",
  ],
  ...[".quasar/config.toml", ".github/copilot-instructions.md", ".github/hooks/a.json", ".claude"],
])("%s steers agents", (path) => {
  expect(steersAgents(path)).toBe(true);
});

test.for([
  "README.md",
  "docs/CLAUDE.md.txt",
  ".github/workflows/ci.yml",
  "claude/x",
  "hooks/a.json",
])("%s does not", (path) => {
  expect(steersAgents(path)).toBe(false);
});
