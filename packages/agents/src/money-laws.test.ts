import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { randomOf, sample, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { fakeClaude } from "../test/billed/claude.ts";
import { fakeCodex, THREAD } from "../test/billed/codex.ts";
import { fakeOpencode } from "../test/billed/opencode.ts";
import { between, chance, pick, type Random, type TurnKinds } from "../test/billed/fake-agent.ts";
import { type Ending, play, type Played } from "../test/billed/play.ts";
import { fakeQwen } from "../test/billed/qwen.ts";
import { aDirectory, aRequest } from "../test/request.ts";
import type { AgentAdapter } from "./adapter.ts";
import { claudeAdapter } from "./claude.ts";
import { codexAdapter } from "./codex.ts";
import { opencodeAdapter } from "./opencode.ts";
import { MAX_OUTPUT_TOKENS, tokenLimit } from "./prices.ts";
import { qwenAdapter } from "./qwen.ts";

/** Sums of decimal fractions miss each other by less. */
const NOTHING = 1e-9;
const ENDINGS = ["by itself", "stopped", "killed", "all killed"] as const;

const kindsOf = (random: Random): TurnKinds => ({
  hasUnknownModel: chance(random, 0.15),
  caches: chance(random, 0.5),
  searches: chance(random, 0.3),
  drops: chance(random, 0.3),
  hasBackground: chance(random, 0.5),
});

function prepare(adapter: AgentAdapter, request: ReturnType<typeof aRequest>) {
  const prepared = adapter.prepare(request, (ending) => join(request.workTree, `turn.${ending}`));
  if ("kind" in prepared) throw new Error(prepared.message);
  // As it comes from a file.
  const context: unknown = JSON.parse(JSON.stringify(prepared.context));
  return { prepared, reader: adapter.open(request, context, () => {}) };
}

interface Turn {
  readonly kinds: TurnKinds;
  readonly ending: Ending;
  readonly endsAfter: number;
  readonly maxCostUsd: number;
}

const turnOf = (random: Random): Turn => ({
  kinds: kindsOf(random),
  ending: pick<Ending>(random, [...ENDINGS]),
  endsAfter: between(random, 1, 60),
  maxCostUsd: pick(random, [0.5, 1, 2, 100]),
});

function playClaude(random: Random, { kinds, ...turn }: Turn): Played {
  const maxOutput = 4000;
  const adapter = claudeAdapter({ maxOutputTokens: maxOutput, env: {} });
  const request = aRequest({ maxCostUsd: turn.maxCostUsd });
  const agent = fakeClaude(random, kinds, maxOutput);
  return play({ agent, ...prepare(adapter, request), record: () => {}, ...turn, maxOutput });
}

function playCodex(random: Random, { kinds, ...turn }: Turn): Played {
  const home = aDirectory();
  const day = join(home, "sessions/2026/11/21");
  mkdirSync(day, { recursive: true });
  const record = (entries: readonly object[]): void => {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    if (lines !== "")
      appendFileSync(join(day, `rollout-2026-11-21T07-05-39-${THREAD}.jsonl`), lines);
  };
  const agent = fakeCodex(random, kinds, MAX_OUTPUT_TOKENS);
  record(agent.recorded);
  const resumed = agent.recorded.length > 0 && { sessionId: THREAD, resumesSession: true };
  const request = aRequest({ maxCostUsd: turn.maxCostUsd, ...resumed });
  const adapter = codexAdapter({ env: { CODEX_HOME: home } });
  return play({
    agent,
    ...prepare(adapter, request),
    record,
    ...turn,
    maxOutput: MAX_OUTPUT_TOKENS,
  });
}

function playOpencode(random: Random, { kinds, ...turn }: Turn): Played {
  const maxOutput = MAX_OUTPUT_TOKENS;
  const agent = fakeOpencode(random, kinds, maxOutput);
  const adapter = opencodeAdapter({ model: `acme/${agent.model}`, env: {} });
  const request = aRequest({ maxCostUsd: turn.maxCostUsd });
  return play({ agent, ...prepare(adapter, request), record: () => {}, ...turn, maxOutput });
}

function playQwen(random: Random, { kinds, ...turn }: Turn): Played {
  const maxOutput = 4000;
  const agent = fakeQwen(random, kinds, maxOutput);
  const adapter = qwenAdapter({ model: agent.model, maxOutputTokens: maxOutput, env: {} });
  const request = aRequest({ maxCostUsd: turn.maxCostUsd });
  return play({ agent, ...prepare(adapter, request), record: () => {}, ...turn, maxOutput });
}

const PLAYERS = {
  claude: playClaude,
  codex: playCodex,
  opencode: playOpencode,
  qwen: playQwen,
} as const;
const TURNS = Array.from({ length: 150 }, (_, at) => at).flatMap((at) =>
  (["claude", "codex", "opencode", "qwen"] as const).map((name) => ({ name, at })),
);

test.for(sample(TURNS, 30))("turn $at of $name keeps the laws of money", ({ name, at }) => {
  const random = randomOf(seed * 1_000_003 + at);
  const turn = turnOf(random);
  const played = PLAYERS[name](random, turn);
  const { billedUsd, ledgerUsd, pricedUsd, unpricedTokens, slackUsd, slackTokens } = played;
  const facts = JSON.stringify({ name, at, turn, played });
  expect(ledgerUsd, facts).toBeGreaterThanOrEqual(billedUsd - NOTHING);
  expect(pricedUsd, facts).toBeLessThanOrEqual(turn.maxCostUsd + slackUsd + NOTHING);
  expect(unpricedTokens, facts).toBeLessThanOrEqual(tokenLimit(turn.maxCostUsd) + slackTokens);
});

test.for(["claude", "codex", "opencode"] as const)(
  "a turn of %s that ends by itself is counted to the cent",
  (name) => {
    const random = randomOf(seed);
    const kinds = { ...kindsOf(random), hasUnknownModel: false, drops: false, hasBackground: true };
    const whole: Turn = { kinds, ending: "by itself", endsAfter: 0, maxCostUsd: 1000 };
    for (let turn = 0; turn < 20; turn += 1) {
      const { billedUsd, ledgerUsd, stopped } = PLAYERS[name](random, whole);
      expect(stopped).toBeUndefined();
      expect(ledgerUsd).toBeCloseTo(billedUsd, 9);
    }
  },
);

test("a Claude Code that is killed while it is idle counts what its background work may have asked", () => {
  const request = aRequest({ maxCostUsd: 100 });
  const { reader } = prepare(claudeAdapter({ env: {} }), request);
  const task = { tool_use_id: "t", task_type: "local_agent", is_backgrounded: true };
  reader.read([JSON.stringify({ type: "system", subtype: "task_started", ...task })]);
  reader.read([
    JSON.stringify({ type: "result", subtype: "success", result: "Done.", num_turns: 1 }),
  ]);
  const killed = { exitCode: null, exitSignal: "SIGKILL", stderrTail: "", durationMs: 1 } as const;
  const { unknownUsd } = reader.result({ started: true, orphansEnded: 0, ...killed });
  expect(unknownUsd).toBeGreaterThan((20_000 * 8 + 32_000 * 20) / 1e6);
});
