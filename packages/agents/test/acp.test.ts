import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasErrno } from "@quasar/process/files";
import { plantedKey, plantedTokens } from "@quasar/vitest/planted-secrets";
import { expect, test } from "vitest";
import { createAcpAgent } from "../src/acp.ts";
import { prewarm } from "../src/prewarm.ts";
import { findRunProcesses } from "../src/run-processes.ts";
import type { AcpScript } from "./acp-agent.ts";
import { aFake, aTurn, DONE, outOf, outPath } from "./acp-fake.ts";
import { aListener } from "./request.ts";

const edit = (path: string) => ({
  toolCallId: "t1",
  kind: "edit",
  title: "Write",
  locations: [{ path }],
});

test("a turn is led from its introduction to its answer", async () => {
  const request = aTurn();
  const path = join(request.workTree, "a.txt");
  const completed = { ...edit(path), sessionUpdate: "tool_call_update", status: "completed" };
  const { agent, told, methods } = aFake(
    [
      { do: "say", text: "I write." },
      { do: "ask", call: edit(path) },
      { do: "write", path, text: "a\n" },
      { do: "update", update: completed },
      { do: "say", text: "All is done.", inPiecesOf: 3 },
      DONE,
    ],
    { out: outPath(request) },
  );
  const { events, onEvent } = aListener();
  const result = await agent.invoke(request, { onEvent });
  expect(result).toEqual({
    text: "All is done.",
    sessionId: expect.any(String) as unknown,
    agentVersion: "1.2.3",
    costSource: "unknown",
    durationMs: expect.any(Number) as unknown,
    workIsSynced: expect.any(Boolean) as unknown,
  });
  expect(methods()).toEqual(["initialize", "session/new", "session/prompt"]);
  expect(told().map(({ isKept }) => isKept)).toEqual([undefined, undefined, undefined, true]);
  expect(JSON.stringify(told()[2]?.params)).toContain("You are a coder.\\n\\n---\\n\\nSay hello.");
  expect(readFileSync(path, "utf8")).toBe("a\n");
  expect(events).toEqual([
    { type: "session", sessionId: result.sessionId },
    { type: "text", text: "I write." },
    { type: "tool", name: "Edit", detail: "a.txt" },
    { type: "text", text: "All is done." },
  ]);
  expect(outOf(request)).not.toContain("Say hello.");
  expect(await agent.find?.({ request, process: undefined })).toEqual({ state: "ended", result });
});

test("a turn continues in the session of another, and what that tells again is not its answer", async () => {
  const again = { do: "say", text: "Old words." } as const;
  const { agent, methods } = aFake([{ do: "say", text: "New words." }, DONE], {
    before: { "session/load": [again] },
  });
  const { sessionId } = await agent.invoke(aTurn());
  const { events, onEvent } = aListener();
  const result = await agent.invoke(aTurn({ resumesSession: true, sessionId }), { onEvent });
  expect(result).toMatchObject({ text: "New words.", sessionId });
  expect(events).toEqual([
    { type: "session", sessionId },
    { type: "text", text: "New words." },
  ]);
  expect(methods().slice(3)).toEqual(["initialize", "session/load", "session/prompt"]);
});

test.for(["another", ""])(
  "a turn does not begin another session in place of %j",
  async (sessionId) => {
    const { agent, methods } = aFake([DONE]);
    const result = await agent.invoke(aTurn({ resumesSession: true, sessionId }));
    expect(result).toMatchObject({ failure: { kind: "session-missing" }, costUsd: 0 });
    expect(result).not.toHaveProperty("sessionId");
    expect(methods()).not.toContain("session/prompt");
  },
);

test("a reviewer reads, and its denials are reported", async () => {
  const request = aTurn({ role: "reviewer", access: "read" });
  const path = join(request.workTree, "a.txt");
  const { agent, told } = aFake([
    { do: "ask", call: { toolCallId: "r", kind: "read", locations: [{ path }] } },
    { do: "say", text: "I read." },
    { do: "ask", call: edit(path) },
    { do: "write", path, text: "a\n" },
    DONE,
  ]);
  const { events, onEvent } = aListener();
  const result = await agent.invoke(request, { onEvent });
  expect(existsSync(path)).toBe(false);
  const denial = { what: `edit ${path}`, allow: [] };
  expect(result).toMatchObject({ text: "I read.", denials: [denial] });
  expect(events).toContainEqual({ type: "denied", what: denial.what });
  const answers = told().flatMap(({ method, result: answer }) => (method ? [] : [answer]));
  expect(answers).toEqual([
    { outcome: { outcome: "selected", optionId: "once" } },
    { outcome: { outcome: "selected", optionId: "no" } },
  ]);
});

test("a coder runs the commands of its request, which its prompt names", async () => {
  const request = aTurn({ commands: ["make check", "a && b"] });
  const runs = (line: string, toolCallId: string) => ({
    do: "ask" as const,
    call: { toolCallId, kind: "execute", title: "Checks", rawInput: { command: line } },
  });
  const { agent, told } = aFake([
    runs("make check -k", "1"),
    { do: "say", text: "made. " },
    runs("make install", "2"),
    { do: "say", text: "installed. " },
    DONE,
  ]);
  const result = await agent.invoke(request);
  expect(result.denials).toEqual([{ what: "make install", allow: ["Bash(make install *)"] }]);
  expect(result.text).toBe("made. ");
  const prompt = JSON.stringify(told()[2]?.params);
  expect(prompt).toContain("- make check\\n");
  expect(prompt).toMatch(/- sh \S+command-\w+\.sh {3}\(which runs: a && b\)/);
});

test("what an agent asks for beside is not there", async () => {
  const asks = (id: number, method: string) => ({
    do: "print" as const,
    text: `${JSON.stringify({ jsonrpc: "2.0", id, method, params: { path: "/etc/passwd" } })}\n`,
  });
  const { agent, told } = aFake([
    asks(70, "fs/read_text_file"),
    asks(71, "terminal/create"),
    asks(72, "of/its/own"),
    { do: "ask", call: { toolCallId: "t", kind: "read" } },
    { do: "say", text: "Done." },
    DONE,
  ]);
  expect(await agent.invoke(aTurn())).toMatchObject({ text: "Done." });
  const refused = told().filter(({ id = 0 }) => id >= 70);
  expect(refused.map(({ error }) => error?.code)).toEqual([-32601, -32601, -32601]);
});

test("a session is put into a mode and given a model before anything is asked in it", async () => {
  const script = {
    answers: {
      "session/set_mode": { result: {} },
      "session/set_model": { result: {} },
    },
  };
  const options = { modes: { write: "default" }, model: "big" } as const;
  const { agent, told, methods } = aFake([{ do: "say", text: "Done." }, DONE], script, options);
  expect(await agent.invoke(aTurn())).toMatchObject({ text: "Done." });
  expect(methods()).toEqual([
    "initialize",
    "session/new",
    "session/set_mode",
    "session/set_model",
    "session/prompt",
  ]);
  expect(told()[2]?.params).toMatchObject({ modeId: "default" });
  expect(told()[3]?.params).toMatchObject({ modelId: "big" });
});

test("a model that is not to be had is a mistake of the configuration", async () => {
  const { agent } = aFake([DONE], {}, { model: "big" });
  const result = await agent.invoke(aTurn());
  expect(result).toMatchObject({ failure: { kind: "usage", retryable: false }, costUsd: 0 });
});

test("an agent that asks for a login gets one by the method that was named", async () => {
  const required = { error: { code: -32000, message: "Authentication required" } };
  const script = { answers: { "session/new": required, authenticate: { result: {} } } };
  const { agent, told, methods } = aFake([DONE], script, { authMethod: "key" });
  const result = await agent.invoke(aTurn());
  expect(methods()).toEqual(["initialize", "session/new", "authenticate", "session/new"]);
  expect(told()[2]?.params).toEqual({ methodId: "key" });
  expect(result).toMatchObject({ failure: { kind: "auth" }, costUsd: 0 });
});

test("what a session had cost before a turn is not counted with it", async () => {
  const usage = (amount: number) => ({
    do: "update" as const,
    update: { sessionUpdate: "usage_update", used: 1, cost: { amount, currency: "USD" } },
  });
  const say = { do: "say", text: "Done." } as const;
  const turnsDir = aTurn().turnsDir;
  const first = aTurn({ runId: "costs", turnsDir });
  const { agent, args } = aFake([usage(0.25), say, DONE]);
  const { sessionId, ...began } = await agent.invoke(first);
  expect(began).toMatchObject({ costUsd: 0.25, costSource: "reported" });
  const { sessions } = JSON.parse(args[1] ?? "") as AcpScript;
  const later = aFake([usage(0.75), say, DONE], { sessions });
  const second = { ...first, turnId: "costs.2", resumesSession: true, sessionId };
  const result = await later.agent.invoke(second);
  expect(result).toMatchObject({ costUsd: 0.5, costSource: "reported" });
  expect(await later.agent.adopt?.({ request: second, process: undefined })).toEqual(result);
});

test("a turn that costs more than it may is stopped", async () => {
  const cost = { amount: 0.75, currency: "USD" };
  const update = { sessionUpdate: "usage_update", used: 1, cost };
  const { agent } = aFake([{ do: "update", update }, { do: "hang" }]);
  const result = await agent.invoke(aTurn({ maxCostUsd: 0.5 }));
  expect(result).toMatchObject({
    failure: { kind: "budget" },
    costUsd: 0.75,
    costSource: "partial",
  });
});

/** A supervisor that ends removes its own log where that is empty. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasErrno(error, "ENOENT") && path.endsWith(".err")) return "";
    throw error;
  }
}

test("no secret that an agent says in pieces reaches the disk", async () => {
  const tokens = Object.values(plantedTokens());
  const key = plantedKey();
  const pieces = [...tokens.map((token) => token.slice(12, 28)), ...key.lines];
  const text = ["I say", ...tokens, key.text].join("\n");
  const request = aTurn();
  const counted = { do: "update", update: { sessionUpdate: "usage_update", used: 1 } } as const;
  const half = text.length >> 1;
  const { agent } = aFake([
    { do: "say", text: text.slice(0, half), inPiecesOf: 5 },
    counted,
    { do: "say", text: text.slice(half), inPiecesOf: 7 },
    DONE,
  ]);
  const { events, onEvent } = aListener();
  const result = await agent.invoke(request, { onEvent });
  expect(result.text).toMatch(/^I say\n\[redacted\]\n\[redacted\]/);
  const files = readdirSync(request.turnsDir ?? "");
  const kept = files.map((name) => textOf(join(request.turnsDir ?? "", name)));
  const all = `${kept.join("\n")}${JSON.stringify([result, events])}`;
  expect(pieces.filter((piece) => all.includes(piece))).toEqual([]);
});

test("what is prewarmed for a turn after one of such an agent can lead it", async () => {
  const { agent } = aFake([{ do: "say", text: "Done." }, DONE]);
  const first = aTurn();
  await agent.invoke(first);
  const second = { ...first, turnId: `${first.runId}.2` };
  await expect.poll(() => findRunProcesses(first.runId)).toEqual([]);
  const dispose = prewarm(second);
  const [waiting] = findRunProcesses(first.runId) ?? [];
  const pids: number[] = [];
  const onStart = async ({ pid }: { pid: number }) => void pids.push(pid);
  expect(await agent.invoke(second, { onStart })).toMatchObject({ text: "Done." });
  dispose();
  expect(pids).toEqual([waiting]);
});

test("what was prewarmed for an agent of another kind ends", async () => {
  const { agent } = aFake([{ do: "say", text: "Done." }, DONE]);
  const request = aTurn();
  const dispose = prewarm(request);
  expect(await agent.invoke(request)).toMatchObject({ text: "Done." });
  dispose();
  await expect.poll(() => findRunProcesses(request.runId)).toEqual([]);
});

test("a command line that the shell does not find is not installed, and costs nothing", async () => {
  const agent = createAcpAgent({ name: "mine", command: "no-such-agent-x --acp" });
  expect(await agent.invoke(aTurn())).toMatchObject({
    failure: { kind: "not-installed", message: expect.stringContaining("no-such-agent-x") },
    costUsd: 0,
  });
});
