import { AGENT_PRESETS, type DetectedAgent } from "@quasar/agents/presets";
import { expect, test } from "vitest";
import { type AgentSpec, readSpec } from "../config/agent-spec.ts";
import { agentFindings } from "./agents.ts";

const IN: DetectedAgent["login"] = { state: "in", how: "claude.ai" };
const claude = (change: Partial<DetectedAgent> = {}): DetectedAgent => {
  return { kind: "claude", version: "2.1.330", login: IN, ...change };
};
const CODEX: DetectedAgent = { kind: "codex", version: "0.169.0", login: { state: "in", how: "" } };
const FACTS = { named: [], found: [], problemOfLine: () => undefined, start: "quasar run" };
const OWN = { mine: { command: "nosuch" } };

function named(...specs: readonly string[]): readonly AgentSpec[] {
  return specs.map((spec) => readSpec(spec, OWN) ?? expect.unreachable(spec));
}

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
    "not installed, and a run here would use it",
    ["npm install -g @anthropic-ai/claude-code", 'quasar run "…" --coder codex --reviewer codex'],
  ],
] as const)("an agent that the settings name and that %s", ([, found, state, message, next]) => {
  const [finding] = agentFindings({ ...FACTS, named: named("claude"), found });
  expect(finding).toEqual({ check: "claude", state, message, next });
});

test("an agent that no settings name stands in nobody's way", () => {
  for (const found of [claude({ login: { state: "out", how: "" } }), claude({ version: "" })]) {
    const facts = { ...FACTS, named: named("codex"), found: [CODEX, found] };
    const all = agentFindings(facts);
    expect(all.map(({ state }) => state)).toEqual(all.map(() => "ok"));
  }
});

test("agents that are neither here nor named take one line", () => {
  const names = AGENT_PRESETS.map(({ name }) => name);
  const none = agentFindings({ ...FACTS, named: [] });
  expect(none).toEqual([
    { check: "agents", state: "ok", message: `not installed: ${names.join(", ")}`, next: [] },
  ]);
  const found = names.map((kind) => claude({ kind }));
  const all = agentFindings({ ...FACTS, named: named("claude"), found });
  expect(all.map(({ check }) => check)).toEqual(names);
});

test("the doctor names a command line once, and why it cannot run", () => {
  const problemOfLine = (line: string) =>
    line === "nosuch" ? "there is no program nosuch on the PATH" : undefined;
  const facts = { ...FACTS, problemOfLine };
  const [good] = agentFindings({ ...facts, named: named("command:gemini -p") });
  expect(good).toMatchObject({ check: "agent", state: "ok", message: "gemini -p" });
  const [missing] = agentFindings({ ...facts, named: named("mine", "command: nosuch") });
  expect(missing).toMatchObject({
    state: "problem",
    message: "mine: nosuch: there is no program nosuch on the PATH",
  });
});
