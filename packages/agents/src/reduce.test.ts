import { randomOf, sample, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { fakeClaude } from "../test/billed/claude.ts";
import { between, chance } from "../test/billed/fake-agent.ts";
import { aSample } from "../test/program.ts";
import { aRequest } from "../test/request.ts";
import { acpAdapter } from "./acp.ts";
import type { AgentAdapter } from "./adapter.ts";
import type { ChildOutcome } from "./child.ts";
import { claudeAdapter } from "./claude.ts";
import { reduceClaudeLine } from "./claude/reduce.ts";
import { codexAdapter } from "./codex.ts";
import { opencodeAdapter } from "./opencode.ts";
import { reduceOpencodeLine } from "./opencode/reduce.ts";
import { qwenAdapter } from "./qwen.ts";
import { type OutputKind, reducerOf } from "./reducers.ts";

const ended = { started: true, stderrTail: "", durationMs: 1, orphansEnded: 0 };
const OUTCOMES: readonly ChildOutcome[] = [
  { ...ended, exitCode: 0, exitSignal: null },
  { ...ended, exitCode: null, exitSignal: "SIGKILL" },
  { ...ended, exitCode: 0, exitSignal: null, stopped: "cancelled" },
];

type Kind = Exclude<OutputKind, "scripted">;

const ADAPTERS: Readonly<Record<Kind, AgentAdapter>> = {
  claude: claudeAdapter({ env: {}, maxOutputTokens: 4000 }),
  codex: codexAdapter({ env: { CODEX_HOME: "/nowhere" } }),
  acp: acpAdapter({ name: "acp", file: "acp", titleIsCommand: true }),
  opencode: opencodeAdapter({ env: {}, model: "anthropic/claude-sonnet-4-5" }),
  qwen: qwenAdapter({ env: { QWEN_HOME: "/nowhere" } }),
};

/** All that is made of an output, after each line where it matters, and at its end. */
function madeOf(kind: Kind, lines: readonly string[]): readonly unknown[] {
  const request = aRequest({ runId: "run", workTree: "/nowhere" });
  return OUTCOMES.map((outcome) => {
    const reader = ADAPTERS[kind].open(request, undefined, () => undefined);
    reader.read(lines);
    return { result: reader.result(outcome), known: reader.known() };
  });
}

function reducedFrom(kind: OutputKind, lines: readonly string[], from: number, to: number) {
  const reduce = reducerOf(kind);
  return lines.flatMap((line, at) => (at >= from && at < to ? (reduce(line) ?? []) : [line]));
}

const SAMPLES = [
  ["claude", "claude-2.1.329.stream.jsonl"],
  ["claude", "claude-2.1.329-background-bash.stream.jsonl"],
  ["claude", "claude-2.1.330-background-agents.stream.jsonl"],
  ["claude", "claude-2.1.329.resumed.stream.jsonl"],
  ["claude", "claude-F-429.stream.jsonl"],
  ["claude", "claude-F-DROP.stream.jsonl"],
  ["claude", "claude-F-REFUSAL.stream.jsonl"],
  ["claude", "claude-usage-limit-oauth.stream.jsonl"],
  ["codex", "codex-0.169.0.exec.jsonl"],
  ["codex", "codex-F-CTX.jsonl"],
  ["codex", "codex-F-USAGE.jsonl"],
  ["acp", "gemini-0.61.0.acp.jsonl"],
  ["acp", "copilot-1.0.102.acp.jsonl"],
  ["acp", "copilot-1.0.102-401.acp.jsonl"],
  ["acp", "opencode-1.18.33-loaded.acp.jsonl"],
  ["opencode", "opencode-1.18.33.stream.jsonl"],
  ["opencode", "opencode-1.18.33.denied.stream.jsonl"],
  ["opencode", "opencode-F-CTX.jsonl"],
  ["qwen", "qwen-0.24.4.stream.jsonl"],
  ["qwen", "qwen-0.24.4.retried.stream.jsonl"],
  ["qwen", "qwen-F-401.stream.jsonl"],
] as const;

test.for(SAMPLES)("what decides in output of %s, %s, is all that is made of it", ([kind, name]) => {
  const lines = aSample(name);
  for (let to = 1; to <= lines.length; to += 1) {
    const whole = lines.slice(0, to);
    const reduced = reducedFrom(kind, whole, 1, to);
    expect(madeOf(kind, reduced), `${to} lines`).toEqual(madeOf(kind, whole));
    expect(reducedFrom(kind, reduced, 0, to), "reduced again").toEqual(
      reducedFrom(kind, whole, 0, to),
    );
  }
});

const TURNS = Array.from({ length: 100 }, (_, at) => at);

test.for(sample(TURNS, 20))("turn %i costs the same, whatever of it is reduced", (at) => {
  const random = randomOf(seed * 1_000_003 + at);
  const kinds = {
    hasUnknownModel: chance(random, 0.15),
    caches: chance(random, 0.5),
    searches: chance(random, 0.3),
    drops: chance(random, 0.3),
    hasBackground: chance(random, 0.5),
  };
  const agent = fakeClaude(random, kinds, 4000);
  const lines: string[] = [];
  for (let step = agent.next(); step !== undefined; step = agent.next()) {
    lines.push(JSON.stringify(step.line));
  }
  const end = between(random, 1, lines.length);
  const whole = lines.slice(0, end);
  const from = between(random, 0, end);
  const reduced = reducedFrom("claude", whole, from, between(random, from, end));
  expect(madeOf("claude", reduced), `turn ${at}`).toEqual(madeOf("claude", whole));
});

test("of what the scripted agent says its session, its usage and its end decide", () => {
  const lines = [
    { type: "session", sessionId: "s" },
    { type: "text", text: "much ado" },
    { type: "usage", costUsd: 0.5 },
    { type: "result", text: "done", costUsd: 0.75 },
  ].map((line) => JSON.stringify(line));
  const reduced = reducedFrom("scripted", lines, 0, lines.length);
  expect(reduced).toEqual(lines.toSpliced(1, 1));
});

test("a line of Claude Code's that was cut counts with its bytes in whatever is asked next", () => {
  const cut = `{"type":"user","message":"${"x".repeat(3 * 2 ** 20)}`;
  const start = aSample("claude-2.1.329.stream.jsonl").slice(0, 8);
  const costs = [start, [...start, cut], [...start, reduceClaudeLine(cut) ?? ""]].map((lines) => {
    const reader = ADAPTERS.claude.open(aRequest(), undefined, () => undefined);
    reader.read(lines);
    return reader.known().unknownUsd ?? 0;
  });
  expect(costs[1]).toBeGreaterThan(costs[0] ?? 0);
  expect(costs[2]).toBe(costs[1]);
});

test("a line of OpenCode's that was cut counts with its bytes in what is asked next", () => {
  const cut = `{"type":"tool_use","part":"${"x".repeat(3 * 2 ** 20)}`;
  const start = aSample("opencode-1.18.33.stream.jsonl").slice(0, 4);
  const costs = [start, [...start, cut], [...start, reduceOpencodeLine(cut) ?? ""]].map((lines) => {
    const reader = ADAPTERS.opencode.open(aRequest(), undefined, () => undefined);
    reader.read(lines);
    return reader.known().unknownUsd ?? 0;
  });
  expect(costs[1]).toBeGreaterThan(costs[0] ?? 0);
  expect(costs[2]).toBe(costs[1]);
});

test("of what an OpenCode tool was told and said only what was denied is kept, without a file's text", () => {
  const state = { status: "completed", input: { filePath: "/x" }, output: "much" };
  const error =
    "The user has specified a rule which prevents you from using this specific tool call.";
  const denied = { status: "error", input: { filePath: "/x", content: "much" }, error };
  const [done, refused] = [state, denied].map((each): unknown => {
    const part = { tool: "write", state: each };
    const line = JSON.stringify({ type: "tool_use", sessionID: "s", part });
    return JSON.parse(reduceOpencodeLine(line) ?? "");
  });
  expect(done).toMatchObject({ part: { state: { status: "completed", input: {}, error: "" } } });
  expect(refused).toMatchObject({ part: { state: { input: { filePath: "/x" }, error } } });
  expect(JSON.stringify([done, refused])).not.toContain("much");
});
