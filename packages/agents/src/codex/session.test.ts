import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentRequest, UnfinishedTurn } from "../agent.ts";
import { expect, test } from "vitest";
import { aProgramThatPrints, aSample, aShellScript } from "../../test/program.ts";
import { aDirectory, aListener, aRequest } from "../../test/request.ts";
import { createCodexAgent } from "../codex.ts";
import { codexArgs } from "./args.ts";

const THREAD = "01a1fcec-cada-7722-8cce-2902840d0679";
/** Of gpt-5.5: 100 tokens in and 20 out. */
const RESPONSE_USD = 0.0011;

/** The record of a thread: a turn killed after one response, then two turns of two responses. */
const ROLLOUT = aSample("codex-0.169.0.rollout.jsonl");
const isRecord = (line: string) => line.includes('"token_usage_record"');

/** The record as it was when so many responses had been written down. */
function rolloutOf(responses: number): string[] {
  let left = responses;
  const end = ROLLOUT.findIndex((line) => isRecord(line) && left-- === 0);
  return end === -1 ? ROLLOUT : ROLLOUT.slice(0, end);
}

/** Codex, which finds a thread with so many responses and leaves it with others. */
function aCodex(before: number, after: number, print: readonly string[], exitCode: number = 0) {
  const home = aDirectory();
  const day = join(home, "sessions/2026/11/21");
  const rollout = join(day, `rollout-2026-11-21T07-05-39-${THREAD}.jsonl`);
  mkdirSync(day, { recursive: true });
  writeFileSync(rollout, `${rolloutOf(before).join("\n")}\n`);
  const next = join(home, "next");
  writeFileSync(next, `${rolloutOf(after).join("\n")}\n`);
  const program = aProgramThatPrints(print, exitCode);
  const file = aShellScript(`cat '${next}' > '${rollout}'; exec '${program}'`);
  const agent = createCodexAgent({ file, env: { CODEX_HOME: home, PATH: process.env["PATH"] } });
  return { agent, rollout };
}

const RESUMED = { sessionId: THREAD, resumesSession: true } as const;
const SAID = aSample("codex-0.169.0.resumed.jsonl");

test.for([
  ["write", "workspace-write"],
  ["read", "read-only"],
] as const)("continues in a thread to %s in the sandbox of any turn", ([access, sandbox]) => {
  const request = aRequest({ ...RESUMED, access });
  expect(codexArgs(request, { model: "gpt-5.5" }, "/schema.json")).toEqual([
    ...["exec", "resume", "--json", "-c", `sandbox_mode="${sandbox}"`, "--skip-git-repo-check"],
    ...[
      "-c",
      "project_doc_max_bytes=0",
      "--model",
      "gpt-5.5",
      "--output-schema",
      "/schema.json",
      "--",
      THREAD,
      "-",
    ],
  ]);
});

test.for([
  ["the first after a killed one, which its own total forgets", 1, 3, 2],
  ["the second after a killed one", 3, 5, 2],
  ["one without a response", 3, 3, 0],
] as const)("counts a resumed turn alone: %s", async ([, before, after, responses]) => {
  const { agent } = aCodex(before, after, SAID);
  const result = await agent.invoke(aRequest(RESUMED));
  expect(result).toMatchObject({ text: "Done.", sessionId: THREAD, costSource: "computed" });
  expect(result.costUsd).toBeCloseTo(responses * RESPONSE_USD, 9);
});

test("reads from the record what a resumed turn cost that was killed, even before a word", async () => {
  const { agent } = aCodex(3, 4, [], 137);
  const result = await agent.invoke(aRequest(RESUMED));
  expect(result).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
  expect(result.costUsd).toBeCloseTo(RESPONSE_USD, 9);
});

test("does not know what a turn cost in a thread that had no record", async () => {
  const file = aProgramThatPrints(SAID);
  const agent = createCodexAgent({ file, env: { CODEX_HOME: aDirectory(), PATH: "/bin" } });
  const result = await agent.invoke(aRequest(RESUMED));
  expect(result).toMatchObject({ text: "Done.", costSource: "unknown" });
  expect(result.costUsd).toBeUndefined();
});

const WARNING = "WARNING: proceeding, even though we could not create PATH aliases: refused\n";

test.for([
  [
    `Error: thread/resume: thread/resume failed: no rollout found for thread id ${THREAD} (code -32600)`,
    "session-missing",
  ],
  [
    `Error: thread/resume: thread/resume failed: thread ${THREAD} already has an active writer (code -32600)`,
    "session-busy",
  ],
] as const)("tells %j from other failures, at no cost", async ([stderr, kind]) => {
  const file = aProgramThatPrints([], 1, `${WARNING}${stderr}\n`);
  const env = { CODEX_HOME: aDirectory(), PATH: process.env["PATH"] };
  const result = await createCodexAgent({ file, env }).invoke(aRequest(RESUMED));
  expect(result).toMatchObject({
    failure: { kind, message: `Codex: ${stderr}` },
    costUsd: 0,
    costSource: "computed",
  });
});

test.for(["no session was found in the store", "the file already has an active writer"])(
  "does not take %j for a thread that is not to be had once it has begun",
  async (words) => {
    const { agent } = aCodex(
      3,
      5,
      [...SAID.slice(0, 2), JSON.stringify({ type: "error", message: words })],
      1,
    );
    const result = await agent.invoke(aRequest(RESUMED));
    expect(result).toMatchObject({ failure: { kind: "unknown" }, costSource: "partial" });
    expect(result.costUsd).toBeCloseTo(2 * RESPONSE_USD, 9);
  },
);

test.for([undefined, "", "a name", "--last"])(
  "starts nothing to continue in %j",
  async (sessionId) => {
    const agent = createCodexAgent({ file: aProgramThatPrints(SAID) });
    const result = await agent.invoke(aRequest({ sessionId, resumesSession: true }));
    expect(result).toMatchObject({ failure: { kind: "session-missing" }, text: "", costUsd: 0 });
  },
);

/** Codex, which writes down a response and then says what it does, as often as there are parts. */
function aCodexAtWork(
  parts: readonly (readonly [responses: number, line: string])[],
  end: string = "exec sleep 60",
) {
  const home = aDirectory();
  mkdirSync(join(home, "sessions"));
  const rollout = join(home, `sessions/rollout-2026-11-21T07-05-39-${THREAD}.jsonl`);
  const script = parts.map(([responses, line], at) => {
    writeFileSync(join(home, `${at}`), `${rolloutOf(responses).join("\n")}\n`);
    return `cat '${home}/${at}' > '${rollout}'; echo '${line}'; sleep 0.2`;
  });
  const file = aShellScript(`${script.join("\n")}\n${end}`);
  return createCodexAgent({ file, env: { CODEX_HOME: home, PATH: process.env["PATH"] } });
}

const STARTED = `{"type":"thread.started","thread_id":"${THREAD}"}`;
const COMMAND = '{"type":"item.started","item":{"type":"command_execution","command":"make"}}';

test("tells what its record says while it works, and is stopped when that is too much", async () => {
  const { events, onEvent } = aListener();
  const agent = aCodexAtWork([
    [0, STARTED],
    [1, COMMAND],
    [1, COMMAND],
    [2, COMMAND],
    [3, COMMAND],
  ]);
  const maxCostUsd = 1.5 * RESPONSE_USD;
  const result = await agent.invoke(aRequest({ maxCostUsd }), { onEvent });
  expect(result).toMatchObject({ failure: { kind: "budget" }, costSource: "partial" });
  expect(result.costUsd).toBeCloseTo(2 * RESPONSE_USD, 9);
  expect(events.filter(({ type }) => type === "usage")).toEqual([
    { type: "usage", costUsd: RESPONSE_USD },
    { type: "usage", costUsd: 2 * RESPONSE_USD },
  ]);
});

test("is not stopped when it is complete", async () => {
  const parts = [
    [1, STARTED],
    [1, '{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}'],
    [2, '{"type":"turn.completed","usage":{}}'],
  ] as const;
  const agent = aCodexAtWork(parts, "exit 0");
  const result = await agent.invoke(aRequest({ maxCostUsd: 1.5 * RESPONSE_USD }));
  expect(result).toMatchObject({ text: "Done.", costSource: "computed" });
  expect(result.failure).toBeUndefined();
  expect(result.costUsd).toBeCloseTo(2 * RESPONSE_USD, 9);
});

test("may cost what it may beside what its thread had cost before", async () => {
  const { agent } = aCodex(3, 5, SAID);
  const result = await agent.invoke(aRequest({ ...RESUMED, maxCostUsd: 2 * RESPONSE_USD }));
  expect(result.failure).toBeUndefined();
});

/** A turn whose end is on record, as a later process finds it. */
const laterOf = (request: AgentRequest): UnfinishedTurn => ({
  request: { ...request, prompt: "" },
  process: undefined,
});

test("has the same cost when a later process reads it, and when it cannot tell how it ended", async () => {
  const { agent } = aCodex(1, 3, SAID);
  const request = aRequest({ ...RESUMED, turnsDir: aDirectory() });
  const result = await agent.invoke(request);
  expect(result.costUsd).toBeCloseTo(2 * RESPONSE_USD, 9);
  expect(await agent.adopt?.(laterOf(request))).toEqual(result);
  rmSync(join(request.turnsDir ?? "", "1.exit"));
  expect(await agent.find?.(laterOf(request))).toEqual({
    state: "died",
    sessionId: THREAD,
    costUsd: result.costUsd,
    costSource: "computed",
  });
});

test.for([
  ["has only begun a thread", 1, undefined],
  ["has done something in it", 3, THREAD],
] as const)("can continue in the thread of a Codex that %s", async ([, lines, sessionId]) => {
  const { agent } = aCodex(0, 0, SAID.slice(0, lines));
  const request = aRequest({ turnsDir: aDirectory() });
  expect((await agent.invoke(request)).sessionId).toBe(sessionId);
  rmSync(join(request.turnsDir ?? "", "1.exit"));
  expect(await agent.find?.(laterOf(request))).toMatchObject({ state: "died", sessionId });
});

test("takes the time of a limit from the day on which the turn ended", async () => {
  const file = aProgramThatPrints(aSample("codex-F-USAGE.jsonl"), 1);
  const agent = createCodexAgent({ file });
  const request = aRequest({ turnsDir: aDirectory() });
  await agent.invoke(request);
  const path = join(request.turnsDir ?? "", "1.exit");
  const record = JSON.parse(readFileSync(path, "utf8")) as object;
  const endedAt = new Date("2026-11-19T22:00:00").toISOString();
  writeFileSync(path, JSON.stringify({ ...record, endedAt }));
  const result = await agent.adopt?.(laterOf(request));
  expect(result?.failure).toMatchObject({
    kind: "rate-limit",
    retryAt: new Date("2026-11-20T03:00:00").toISOString(),
  });
});
