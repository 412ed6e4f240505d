import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentProcess } from "@quasar/process";
import { expect, test } from "vitest";
import { aDirectory, aListener, aRequest } from "../test/request.ts";
import type { UnfinishedTurn } from "./agent.ts";
import { createScriptedAgent } from "./scripted.ts";
import { watchTurn } from "./watch-turn.ts";

const SAMPLES = new URL("../test/samples/", import.meta.url).pathname;

/** A turn of an agent of which there are files only, and nobody who works. */
function aStoredTurn(agent: string, context?: object): UnfinishedTurn & { readonly dir: string } {
  const dir = join(aDirectory(), "turns");
  mkdirSync(dir);
  writeFileSync(join(dir, "1.start"), JSON.stringify({ v: 1, agent, context }));
  return { dir, request: aRequest({ turnsDir: dir }), process: undefined };
}

test("tells the events of a turn that is over again", async () => {
  const request = aRequest({ turnsDir: join(aDirectory(), "turns") });
  const agent = createScriptedAgent({
    turns: [{ role: "coder", says: ["Reading", "Writing"], text: "Done.", costUsd: 0.1 }],
  });
  const [live, again] = [aListener(), aListener()];
  await agent.invoke(request, { onEvent: live.onEvent });
  expect(await watchTurn({ request, process: undefined }, again)).toBe(true);
  expect(again.events).toEqual(live.events);
  expect(again.events).toContainEqual({ type: "text", text: "Writing" });
});

test.for([
  ["claude", "claude-2.1.329.stream.jsonl", "tool"],
  ["codex", "codex-0.169.0.exec.jsonl", "tool"],
  ["gemini", "gemini-0.61.0.acp.jsonl", "tool", { protocol: "acp", titleIsCommand: true }],
  ["some command", "codex-0.169.0.exec.jsonl", "text"],
] as const)(
  "reads what %s has printed without its program",
  async ([agent, sample, type, context]) => {
    const turn = aStoredTurn(agent, context);
    copyFileSync(join(SAMPLES, sample), join(turn.dir, "1.out"));
    const { events, onEvent } = aListener();
    expect(await watchTurn(turn, { onEvent })).toBe(true);
    expect(events.map((event) => event.type)).toContain(type);
  },
);

test("waits for what a turn at work says, and until it ends", async () => {
  const turn = { ...aStoredTurn("some command"), process: currentProcess() };
  const out = join(turn.dir, "1.out");
  writeFileSync(out, "first\n");
  const { events, onEvent } = aListener();
  const watching = watchTurn(turn, { onEvent, follow: true });
  await expect.poll(() => events).toEqual([{ type: "text", text: "first\n" }]);
  appendFileSync(out, "second\n");
  await expect.poll(() => events).toHaveLength(2);
  const end = { v: 1, started: true, exitCode: 0, exitSignal: null, stderrTail: "" };
  writeFileSync(
    join(turn.dir, "1.exit"),
    JSON.stringify({ ...end, durationMs: 1, orphansEnded: 0 }),
  );
  expect(await watching).toBe(true);
});

test("waits until it is known which agent has begun", async () => {
  const dir = join(aDirectory(), "turns");
  mkdirSync(dir);
  const turn = { request: aRequest({ turnsDir: dir }), process: currentProcess() };
  const { events, onEvent } = aListener();
  const over = new AbortController();
  const watching = watchTurn(turn, { onEvent, follow: true, signal: over.signal });
  writeFileSync(join(dir, "1.start"), JSON.stringify({ v: 1, agent: "claude" }));
  copyFileSync(join(SAMPLES, "claude-2.1.329.stream.jsonl"), join(dir, "1.out"));
  await expect.poll(() => events.map(({ type }) => type)).toContain("tool");
  over.abort();
  await watching;
});

test("does not wait any more once nobody wants to know", async () => {
  const turn = { ...aStoredTurn("some command"), process: currentProcess() };
  writeFileSync(join(turn.dir, "1.out"), "first\n");
  const over = new AbortController();
  const { events, onEvent } = aListener();
  const watching = watchTurn(turn, { onEvent, follow: true, signal: over.signal });
  await expect.poll(() => events).toHaveLength(1);
  over.abort();
  expect(await watching).toBe(true);
});

test("knows nothing of a turn without files", async () => {
  const { onEvent } = aListener();
  expect(await watchTurn(aStoredTurn("claude"), { onEvent })).toBe(false);
  expect(await watchTurn({ request: aRequest(), process: undefined }, { onEvent })).toBe(false);
});
