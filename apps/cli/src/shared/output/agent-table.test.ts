import { AGENT_PRESETS, type AgentPreset, type DetectedAgent } from "@quasar/agents/presets";
import { expect, test } from "vitest";
import { agentTable, knownAgents } from "./agent-table.ts";
import type { View } from "./text.ts";

const VIEW: View = { columns: 80, paint: (_style, text) => text, live: false };
const [FIRST = expect.unreachable("no agent is known")] = AGENT_PRESETS;

interface Change {
  readonly can?: Partial<AgentPreset["capabilities"]>;
  readonly cost?: AgentPreset["cost"];
  readonly readOnlyBy?: string;
}

function aPreset(name: string, { can, ...change }: Change = {}): AgentPreset {
  const capabilities = { ...FIRST.capabilities, ...can };
  const login = { ...FIRST.login, command: `${name} login` };
  return { ...FIRST, name, npmPackage: `@${name}/cli`, login, capabilities, ...change };
}

const SIX = [
  aPreset("claude"),
  aPreset("codex", { cost: "computed" }),
  aPreset("opencode", { can: { structuredOutput: false } }),
  aPreset("qwen", { cost: "computed", readOnlyBy: "" }),
  aPreset("gemini", { cost: "computed", can: { structuredOutput: false, streamsUsage: false } }),
  aPreset("copilot", { cost: "unknown", can: { streamsUsage: false, resumesSession: false } }),
];

function here(kind: string, version: string, state: DetectedAgent["login"]["state"], how = "") {
  return { kind, version, login: { state, how } };
}

test("with no agent it is said how each is installed", () => {
  expect(agentTable(knownAgents(SIX, []), [], VIEW).join("\n")).toMatchInlineSnapshot(`
    "No agent is installed.

      claude   not installed: npm install -g @claude/cli
      codex    not installed: npm install -g @codex/cli
      opencode not installed: npm install -g @opencode/cli
      qwen     not installed: npm install -g @qwen/cli
      gemini   not installed: npm install -g @gemini/cli
      copilot  not installed: npm install -g @copilot/cli"
  `);
});

test("six agents, and one of the user's own, take 80 columns", () => {
  const found = [
    here("claude", "2.1.330", "in", "claude.ai"),
    here("codex", "0.169.0", "out"),
    here("opencode", "1.18.33", "unknown", "no key and no login found"),
    here("qwen", "", "in", "OPENAI_API_KEY"),
    here("gemini", "0.61.0-preview.12", "unknown"),
    here("copilot", "1.0.102", "in"),
  ];
  const own = { name: "mine", agent: { command: "goose run -i -" }, from: "~/config.toml:3:8" };
  const lines = agentTable(knownAgents(SIX, found), [own], VIEW);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "  agent     version            login    sessions  cost      schema  read-only
      claude    2.1.330            yes      yes       reported  yes     yes
      codex     0.169.0            no       yes       computed  yes     yes
      opencode  1.18.33            unknown  yes       reported  no      yes
      qwen      unknown            yes      yes       computed  yes     no
      gemini    0.61.0-preview.12  unknown  yes       computed  no      yes
      copilot   1.0.102            yes      no        unknown   yes     yes

      codex    not logged in: codex login
      opencode login: no key and no login found; to log in: opencode login
               reviews are read from its text
      qwen     does not report its version: claude --version
               nothing but the check afterwards keeps a reviewer from writing
      gemini   login: it does not say; to log in: gemini login
               its cost is known when a turn ends: until then time and requests
               limit it
               reviews are read from its text
      copilot  each turn begins without a memory
               no cost is known: time and requests limit a turn

      mine     command:goose run -i -   (~/config.toml:3:8)"
  `);
});

test("how to log in reads as a sentence", () => {
  const qwen = { ...FIRST, login: { ...FIRST.login, command: "qwen", then: "/auth" } };
  const lines = agentTable(knownAgents([qwen], [here(FIRST.name, "1.0.0", "out")]), [], VIEW);
  expect(lines.join("\n")).toContain("not logged in: qwen (then /auth)");
});

test("what is installed comes first, in the order of the table", () => {
  const found = [here("gemini", "1.0.0", "in"), here("codex", "1.0.0", "in")];
  const names = knownAgents(SIX, found).map(({ preset }) => preset.name);
  expect(names).toEqual(["codex", "gemini", "claude", "opencode", "qwen", "copilot"]);
});

test("what an agent and a user's file say is made clean", () => {
  const evil = "\u001b[2J\u202e";
  const own = { name: "mine", agent: { command: evil }, from: evil };
  const found = [here("claude", evil, "unknown", evil)];
  const lines = agentTable(knownAgents(SIX, found), [own], VIEW);
  expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
