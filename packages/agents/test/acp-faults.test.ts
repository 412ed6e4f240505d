import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ProcessLimits } from "../src/child.ts";
import { findRunProcesses } from "../src/run-processes.ts";
import type { AcpScript, AcpStep } from "./acp-agent.ts";
import { aFake, aTurn, DONE, outOf, untilKept } from "./acp-fake.ts";
import { aListener } from "./request.ts";

const SAY: AcpStep = { do: "say", text: "Done." };

interface Fault {
  readonly steps?: readonly AcpStep[];
  readonly script?: Partial<AcpScript>;
  readonly limits?: Partial<ProcessLimits>;
}

const SOON: Partial<ProcessLimits> = { idleTimeoutMs: 6000, killGraceMs: 300 };
const silentAt = (method: string): Fault => ({
  script: { answers: { [method]: null } },
  limits: SOON,
});
const print = (...messages: readonly (object | string)[]): AcpStep => ({
  do: "print",
  text: messages
    .map((each) => (typeof each === "string" ? each : JSON.stringify({ jsonrpc: "2.0", ...each })))
    .map((line) => `${line}\n`)
    .join(""),
});

test.for([
  ["says nothing at its introduction", silentAt("initialize"), "timeout-idle"],
  ["begins no session", silentAt("session/new"), "timeout-idle"],
  ["does not answer the prompt", { steps: [{ do: "hang" }], limits: SOON }, "timeout-idle"],
  [
    "speaks another version",
    { script: { answers: { initialize: { result: { protocolVersion: 7 } } } } },
    "usage",
  ],
  [
    "answers with what is none",
    { script: { answers: { initialize: { result: "hello" } } } },
    "bad-output",
  ],
  [
    "begins a session without an id",
    { script: { answers: { "session/new": { result: {} } } } },
    "bad-output",
  ],
  [
    "ends the turn for a reason that there is none of",
    { steps: [{ do: "end", result: { stopReason: "bored" } }] },
    "bad-output",
  ],
  [
    "refuses the prompt",
    { steps: [{ do: "end", error: { code: 429, message: "slow down" } }] },
    "rate-limit",
  ],
  ["exits in the middle", { steps: [SAY, { do: "exit", code: 3 }] }, "killed"],
  [
    "exits in the middle as if all were well",
    { steps: [SAY, { do: "exit", code: 0 }] },
    "bad-output",
  ],
  [
    "exits at its introduction",
    { script: { before: { initialize: [{ do: "exit", code: 0 }] } } },
    "bad-output",
  ],
  ["ends without any work or word", { steps: [DONE] }, "empty-answer"],
] as readonly (readonly [string, Fault, string])[])(
  "an agent that %s is none that has done its turn",
  async ([, { steps = [SAY, DONE], script, limits }, kind]) => {
    const request = aTurn();
    const { agent } = aFake(steps, script, { limits });
    const result = await agent.invoke(request);
    expect(result.failure?.kind).toBe(kind);
    expect(await agent.find?.({ request, process: undefined })).toEqual({ state: "ended", result });
    await expect.poll(() => findRunProcesses(request.runId)).toEqual([]);
  },
);

test("an agent that was silent may be asked again", async () => {
  const { agent } = aFake([], { answers: { initialize: null } }, { limits: SOON });
  const { failure } = await agent.invoke(aTurn());
  expect(failure).toMatchObject({ kind: "timeout-idle", retryable: true });
  expect(failure?.message).toBe("The fake was silent for 6 s.");
});

test.for([
  ["lines that are no JSON", print("Loading …", "{", '{"jsonrpc":')],
  [
    "answers to what nobody asked",
    print({ id: 99, result: { stopReason: "refusal" } }, { id: null, result: 1 }),
  ],
  ["answers to another's question", print({ id: "2", result: { stopReason: "refusal" } })],
  ["what is no message", print({}, { id: {} }, { method: 7 }, { id: 5, method: 7 }, "[]", "null")],
  [
    "a question without options",
    print({ id: 5, method: "session/request_permission", params: {} }),
  ],
  [
    "updates that are none",
    print(
      { method: "session/update" },
      { method: "session/update", params: { update: { sessionUpdate: "tool_call" } } },
      { method: "session/update", params: { update: { sessionUpdate: "agent_message_chunk" } } },
    ),
  ],
] as const)("a turn goes past %s", async ([, step]) => {
  const request = aTurn();
  const { agent } = aFake([step, SAY, DONE]);
  const result = await agent.invoke(request);
  expect(result).toMatchObject({ text: "Done." });
  expect(result).not.toHaveProperty("failure");
});

test("a message that is too long is cut, and the turn continues", async () => {
  const content = [{ type: "content", content: { type: "text", text: "x".repeat(60_000) } }];
  const update = { sessionUpdate: "tool_call", toolCallId: "t", kind: "read", content };
  const { agent } = aFake(
    [{ do: "update", update }, SAY, DONE],
    {},
    {
      limits: { maxLineBytes: 20_000 },
    },
  );
  const result = await agent.invoke(aTurn());
  expect(result).toMatchObject({
    text: "Done.",
    notices: ["The fake printed a line that is too long: it was cut."],
  });
});

test("a question that is too long to be read is not waited for", async () => {
  const content = [{ type: "diff", path: "/a", oldText: "", newText: "x".repeat(60_000) }];
  const call = { toolCallId: "t", kind: "edit", content };
  const { agent, told } = aFake(
    [{ do: "ask", call }, SAY, { do: "say", text: "Well." }, DONE],
    {},
    {
      limits: { maxLineBytes: 20_000 },
    },
  );
  expect(await agent.invoke(aTurn())).toMatchObject({ text: "Well." });
  expect(told().at(-1)?.error?.code).toBe(-32602);
});

test("an agent that does not end after its turn is ended, and has done it all the same", async () => {
  const request = aTurn();
  const { agent } = aFake([SAY, DONE], { ignoresEnd: true }, { limits: { killGraceMs: 300 } });
  const result = await agent.invoke(request);
  expect(result).toMatchObject({ text: "Done." });
  expect(result).not.toHaveProperty("failure");
  await expect.poll(() => findRunProcesses(request.runId)).toEqual([]);
});

test("a turn is cancelled by a word, and its session can be continued in", async () => {
  const request = aTurn();
  const { agent, methods } = aFake([
    SAY,
    { do: "ask", call: { toolCallId: "t", kind: "read" } },
    { do: "hang" },
  ]);
  const controller = new AbortController();
  const turn = agent.invoke(request, { signal: controller.signal });
  await untilKept(request, '"outcome":"selected"');
  controller.abort();
  const result = await turn;
  expect(result).toMatchObject({ failure: { kind: "cancelled" } });
  expect(result.sessionId).toBeDefined();
  expect(methods()).toContain("session/cancel");
  expect(outOf(request)).toContain('"stopReason":"cancelled"');
});

test.for([
  ["ignores that", { ignoresCancel: true }, [SAY, { do: "hang" }]],
  ["has not been asked anything yet", { answers: { "session/new": null } }, []],
] as readonly (readonly [string, Partial<AcpScript>, readonly AcpStep[]])[])(
  "a turn is cancelled by force where the agent %s",
  async ([, script, steps]) => {
    const request = aTurn();
    const { agent } = aFake(steps, script, { limits: { killGraceMs: 300 } });
    const controller = new AbortController();
    const { onEvent } = aListener();
    const turn = agent.invoke(request, { signal: controller.signal, onEvent });
    await untilKept(request, steps.length > 0 ? '"method":"session/prompt"' : "session/new");
    controller.abort();
    expect(await turn).toMatchObject({ failure: { kind: "cancelled" } });
    await expect.poll(() => findRunProcesses(request.runId)).toEqual([]);
  },
);

test("a turn that was done before it could be cancelled is done", async () => {
  const request = aTurn();
  const go = `${request.workTree}/go`;
  const { agent } = aFake([{ do: "wait", for: go }, SAY, DONE], { ignoresCancel: true });
  const controller = new AbortController();
  const turn = agent.invoke(request, { signal: controller.signal });
  await untilKept(request, '"method":"session/prompt"');
  controller.abort();
  await untilKept(request, '"method":"session/cancel"');
  writeFileSync(go, "");
  const result = await turn;
  expect(result).toMatchObject({ text: "Done." });
  expect(result).not.toHaveProperty("failure");
});
