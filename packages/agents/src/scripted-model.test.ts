import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { aModelServer, type ModelReply } from "../test/model-server.ts";
import { aDirectory, aListener, aRequest } from "../test/request.ts";
import { parseAgentScript, type ScriptedTurn } from "./agent-script.ts";
import { SCRIPTED_CHILD_ARGS } from "./scripted-child.ts";
import { createScriptedAgent } from "./scripted.ts";
import { scriptedTask } from "./scripted-task.ts";

const TURN: ScriptedTurn = {
  role: "coder",
  says: ["one", { text: "two", files: { "two.txt": "2\n" } }],
  files: { "end.txt": "end\n" },
  text: "done",
};

const billed = (costUsd: number, text?: string): ModelReply => ({ body: { costUsd, text } });
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** An agent with a model and sessions, and a request of it. */
async function anAgent(
  reply: Parameters<typeof aModelServer>[0],
  turns: readonly ScriptedTurn[] = [TURN],
) {
  const { url, asked } = await aModelServer(reply);
  const sessions = aDirectory();
  const agent = createScriptedAgent({ turns, model: url, sessions });
  return { agent, asked, sessions, request: aRequest({ sessionId: randomUUID() }) };
}

const steps = (asked: Awaited<ReturnType<typeof aModelServer>>["asked"]) =>
  asked.map(({ body }) => body.step);

test("asks the model before each step and reports what it bills", async () => {
  const { agent, asked, request } = await anAgent((step) =>
    step === 2 ? billed(0.25, "said by the model") : billed(0.5),
  );
  const { events, onEvent } = aListener();
  const result = await agent.invoke(request, { onEvent });
  const { sessionId } = request;
  expect(result).toMatchObject({
    text: "said by the model",
    sessionId,
    costUsd: 1.25,
    costSource: "reported",
  });
  expect(result.failure).toBeUndefined();
  const common = { v: 1, session: sessionId, role: "coder", turn: 0 };
  expect(asked).toEqual(
    [0, 1, 2].map((step) => ({
      header: request.turnId,
      body: { ...common, step, prompt_sha256: hashOf(request.prompt) },
    })),
  );
  expect(events).toEqual([
    { type: "session", sessionId },
    { type: "usage", costUsd: 0.5 },
    { type: "text", text: "one" },
    { type: "usage", costUsd: 1 },
    { type: "text", text: "two" },
    { type: "tool", name: "write", detail: "two.txt" },
    { type: "usage", costUsd: 1.25 },
    { type: "tool", name: "write", detail: "end.txt" },
  ]);
});

test.for([
  [
    "a usage limit",
    { status: 429, body: { retryAt: "2026-11-21T03:00:00Z" } },
    { kind: "rate-limit", retryAt: "2026-11-21T03:00:00.000Z" },
    "reported",
  ],
  ["a usage limit without a time", { status: 429 }, { kind: "rate-limit" }, "reported"],
  ["an overload", { status: 529 }, { kind: "overloaded" }, "reported"],
  ["a refusal", { status: 404 }, { kind: "usage" }, "reported"],
  ["an answer without a price", { body: {} }, { kind: "bad-output" }, "partial"],
  ["an answer below nothing", { body: { costUsd: -1 } }, { kind: "bad-output" }, "partial"],
  ["a broken connection", "drop", { kind: "network" }, "partial"],
] as const)("ends at %s with what it cost until then", async ([, reply, failure, costSource]) => {
  const { agent, asked, request } = await anAgent((step) => (step === 1 ? reply : billed(0.5)));
  const result = await agent.invoke(request);
  expect(result).toMatchObject({ failure, costUsd: 0.5, costSource });
  expect(steps(asked)).toEqual([0, 1]);
});

test("asks for nothing more when it has cost what it may, though nobody watches it", async () => {
  const { url, asked } = await aModelServer(() => billed(0.5));
  const task = scriptedTask({ turns: [TURN], model: url }, aRequest({ maxCostUsd: 0.6 }));
  const child = spawn(process.execPath, SCRIPTED_CHILD_ARGS);
  child.stdin.end(JSON.stringify(task));
  const lines = (await text(child.stdout)).trim().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
    type: "result",
    failure: { kind: "budget" },
    costUsd: 1,
  });
  expect(steps(asked)).toEqual([0, 1]);
});

test("has one winner of those who continue in a session at once", async () => {
  const { agent, asked, request } = await anAgent((_, { length }) =>
    length === 1 ? { status: 503 } : "hang",
  );
  await agent.invoke(request);
  const controller = new AbortController();
  const { signal } = controller;
  let busy = 0;
  const racers = Array.from({ length: 4 }, async () => {
    const again = aRequest({ sessionId: request.sessionId, resumesSession: true });
    const { failure } = await agent.invoke(again, { signal });
    busy += failure?.kind === "session-busy" ? 1 : 0;
  });
  await expect.poll(() => [asked.length, busy]).toEqual([2, 3]);
  controller.abort();
  await Promise.all(racers);
  expect(busy).toBe(3);
});

test("does not take another process with the number of a session's for it", async () => {
  const { agent, request, sessions } = await anAgent(() => billed(0));
  await agent.invoke(request);
  const file = join(sessions, `${request.sessionId}.jsonl`);
  const taken = `\n{"owner":{"pid":${process.pid},"start":"1"}}`;
  writeFileSync(file, readFileSync(file, "utf8") + taken);
  expect((await agent.invoke({ ...request, resumesSession: true })).failure).toBeUndefined();
});

test("continues in its session with what was not answered, whatever the prompt says", async () => {
  const { agent, asked, request } = await anAgent((_, { length }) =>
    length === 2 ? { status: 503 } : billed(0.5),
  );
  expect((await agent.invoke(request)).failure?.kind).toBe("overloaded");
  const again = {
    ...request,
    prompt: "Continue.",
    resumesSession: true,
    turnId: `${request.runId}.2`,
  };
  const result = await agent.invoke(again);
  expect(result).toMatchObject({ text: "done", costUsd: 1, sessionId: request.sessionId });
  expect(result.failure).toBeUndefined();
  expect(asked.map(({ body: { step }, header }) => [step, header])).toEqual([
    [0, request.turnId],
    [1, request.turnId],
    [1, again.turnId],
    [2, again.turnId],
  ]);
  expect(new Set(asked.map(({ body }) => body.prompt_sha256))).toEqual(
    new Set([hashOf(request.prompt)]),
  );
});

test("asks nothing where all was answered, and does again what follows from the last", async () => {
  const { agent, asked, request } = await anAgent(() => billed(0.5, "answer"));
  await agent.invoke(request);
  const end = join(request.workTree, "end.txt");
  rmSync(end);
  const result = await agent.invoke({ ...request, resumesSession: true });
  expect(result).toMatchObject({ text: "answer", costUsd: 0, costSource: "reported" });
  expect(readFileSync(end, "utf8")).toBe("end\n");
  expect(asked).toHaveLength(3);
});

test("continues in a session that was cut off in the middle of a record", async () => {
  const { agent, asked, request, sessions } = await anAgent((step, { length }) =>
    length === 3 ? { status: 503 } : billed(step),
  );
  await agent.invoke(request);
  const file = join(sessions, `${request.sessionId}.jsonl`);
  writeFileSync(file, readFileSync(file, "utf8").slice(0, -3));
  const result = await agent.invoke({ ...request, resumesSession: true });
  expect(result.failure).toBeUndefined();
  expect(steps(asked)).toEqual([0, 1, 2, 1, 2]);
});

test("asks nothing for a prompt that the script does not foresee", async () => {
  const { agent, asked, request } = await anAgent(() => billed(1), [{ role: "reviewer" }]);
  expect(await agent.invoke(request)).toMatchObject({ failure: { kind: "usage" }, costUsd: 0 });
  expect(asked).toEqual([]);
});

test("chooses a session for a request without one", async () => {
  const { agent, request } = await anAgent(() => billed(0));
  const { sessionId } = await agent.invoke({ ...request, sessionId: undefined });
  const again = { ...request, sessionId, resumesSession: true };
  expect((await agent.invoke(again)).failure).toBeUndefined();
});

test.for([
  ["a session that is not there", randomUUID()],
  ["a path for a session", "../../etc/passwd"],
])("misses %s, at no cost", async ([, sessionId]) => {
  const { agent, asked, request } = await anAgent(() => billed(1));
  const result = await agent.invoke({ ...request, sessionId, resumesSession: true });
  expect(result).toMatchObject({ failure: { kind: "session-missing" }, costUsd: 0 });
  expect(asked).toEqual([]);
});

test("leaves a session to the process that is at work in it, and to nobody's when it is gone", async () => {
  const { agent, asked, request } = await anAgent((_, { length }) =>
    length === 1 ? "hang" : billed(1),
  );
  const controller = new AbortController();
  const first = agent.invoke(request, { signal: controller.signal });
  await expect.poll(() => asked.length).toBe(1);
  const again = aRequest({ sessionId: request.sessionId, resumesSession: true });
  for (const other of [again, { ...again, resumesSession: false }]) {
    expect(await agent.invoke(other)).toMatchObject({
      failure: { kind: "session-busy" },
      costUsd: 0,
    });
  }
  controller.abort();
  expect((await first).failure?.kind).toBe("cancelled");
  expect((await agent.invoke(again)).failure).toBeUndefined();
  expect(steps(asked)).toEqual([0, 0, 1, 2]);
});

test("continues in a session without a model, at the cost of what is left", async () => {
  const sessions = aDirectory();
  // Half of it between the first word and the second, half of it after that.
  const turn: ScriptedTurn = { ...TURN, costUsd: 1, delayMs: 6000 };
  const agent = createScriptedAgent({ turns: [turn], sessions });
  const request = aRequest({ sessionId: randomUUID() });
  const controller = new AbortController();
  const cut = await agent.invoke(request, {
    signal: controller.signal,
    onEvent: (event) => event.type === "text" && event.text === "two" && controller.abort(),
  });
  expect(cut).toMatchObject({ failure: { kind: "cancelled" }, costUsd: 0.5 });
  const result = await agent.invoke({ ...request, resumesSession: true });
  expect(result).toMatchObject({ text: "done", costUsd: 0.5 });
});

test("can continue in a session only where the script says where they are kept", () => {
  const can = (sessions?: string) => {
    const { choosesSessionId, resumesSession } = createScriptedAgent({
      turns: [TURN],
      sessions,
    }).capabilities;
    return [choosesSessionId, resumesSession];
  };
  expect(can()).toEqual([false, false]);
  expect(can("/somewhere")).toEqual([true, true]);
});

test.for([
  ["a model elsewhere", { model: "http://example.com/" }],
  ["a model by https", { model: "https://127.0.0.1/" }],
  ["a model with a password", { model: "http://me:secret@127.0.0.1/" }],
  ["a model that looks near", { model: "http://127.0.0.1.example.com/" }],
  ["a model that is no URL", { model: "127.0.0.1" }],
  ["sessions at a relative path", { sessions: "sessions" }],
] as const)("refuses a script with %s", ([, change]) => {
  const script = { turns: [], ...change };
  expect(() => parseAgentScript(JSON.stringify(script))).toThrow(
    expect.objectContaining({ code: "ERR_INVALID_SCRIPT" }),
  );
});
