import type { DetectedAgent } from "@quasar/agents";
import { expect, test } from "vitest";
import { agentFindings } from "./agents.ts";

const IN: DetectedAgent["login"] = { state: "in", how: "claude.ai" };
const claude = (change: Partial<DetectedAgent> = {}): DetectedAgent => {
  return { kind: "claude", version: "2.1.330", login: IN, ...change };
};
const CODEX: DetectedAgent = { kind: "codex", version: "0.169.0", login: { state: "in", how: "" } };

test.for([
  ["is ready", [claude()], "ok", "2.1.330, logged in (claude.ai)", []],
  [
    "is not logged in",
    [claude({ login: { state: "out", how: "" } })],
    "problem",
    "2.1.330, not logged in",
    ["claude auth login"],
  ],
  [
    "does not tell its login",
    [claude({ login: { state: "unknown", how: "" } })],
    "unknown",
    "2.1.330, does not say whether it is logged in",
    [],
  ],
  [
    "does not answer",
    [claude({ version: "" })],
    "warning",
    "installed, does not report its version",
    ["claude --version"],
  ],
  [
    "is not there, and another one is",
    [CODEX],
    "problem",
    "not installed, and the settings name it",
    ["npm install -g @anthropic-ai/claude-code", 'quasar run "…" --coder codex --reviewer codex'],
  ],
] as const)("an agent that the settings name and that %s", ([, found, state, message, next]) => {
  const facts = { named: ["claude", "claude"], found, broken: {}, start: "quasar run" };
  const [finding] = agentFindings(facts);
  expect(finding).toEqual({ check: "claude", state, message, next });
});

test("an agent that no settings name stands in nobody's way", () => {
  for (const found of [
    [],
    [claude({ login: { state: "out", how: "" } })],
    [claude({ version: "" })],
  ]) {
    const facts = { named: ["codex"], found: [CODEX, ...found], broken: {}, start: "quasar run" };
    expect(agentFindings(facts).map(({ state }) => state)).toEqual(["ok", "ok"]);
  }
});

test("a command line that is named is told once, and why it cannot run", () => {
  const [good, bad] = ["command:gemini -p", "command: nosuch"];
  const broken = { [bad]: "there is no program nosuch on the PATH" };
  const facts = { named: [good, good], found: [], broken, start: "quasar run" };
  expect(agentFindings(facts).slice(2)).toMatchObject([{ state: "ok", message: "gemini -p" }]);
  const missing = agentFindings({ ...facts, named: [bad] }).slice(2);
  expect(missing).toMatchObject([
    { state: "problem", message: "nosuch: there is no program nosuch on the PATH" },
  ]);
});
