import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createAcpAgent, type AcpAgentOptions } from "../src/acp.ts";
import type { AgentInvoker, AgentRequest } from "../src/agent.ts";
import type { AcpScript, AcpStep } from "./acp-agent.ts";
import { aDirectory, aListener, aRequest } from "./request.ts";

const FILE = fileURLToPath(new URL("acp-agent.ts", import.meta.url));

interface Fake {
  readonly agent: AgentInvoker;
  /** What it was told. */
  readonly told: () => readonly { readonly method?: string; readonly result?: unknown }[];
  readonly methods: () => readonly string[];
}

const DONE: AcpStep = { do: "end", result: { stopReason: "end_turn" } };

function anAgent(
  steps: readonly AcpStep[],
  script: Partial<AcpScript> = {},
  options: Partial<AcpAgentOptions> = {},
): Fake {
  const dir = aDirectory();
  const [log, sessions] = [join(dir, "log"), join(dir, "sessions")];
  const args = [FILE, JSON.stringify({ log, sessions, steps, ...script })];
  const fake = { name: "fake", title: "The fake", file: process.execPath, args };
  const agent = createAcpAgent({ ...fake, ...options } as AcpAgentOptions);
  const told = () =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as { readonly method?: string })
      : [];
  return { agent, told, methods: () => told().flatMap(({ method }) => method ?? []) };
}

const aTurn = (change: Partial<AgentRequest> = {}): AgentRequest =>
  aRequest({ turnsDir: join(aDirectory(), "turns"), ...change });

const out = ({ turnsDir = "" }: AgentRequest): string =>
  readFileSync(join(turnsDir, "1.out"), "utf8");

test("a turn is led from its introduction to its answer", async () => {
  const request = aTurn();
  const path = join(request.workTree, "a.txt");
  const call = { toolCallId: "t1", kind: "edit", title: "Write", locations: [{ path }] };
  const { agent, methods } = anAgent([
    { do: "say", text: "I write." },
    { do: "ask", call },
    { do: "write", path, text: "a\n" },
    { do: "update", update: { ...call, sessionUpdate: "tool_call_update", status: "completed" } },
    { do: "say", text: "All is done.", inPiecesOf: 3 },
    DONE,
  ]);
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
  expect(readFileSync(path, "utf8")).toBe("a\n");
  expect(events).toEqual([
    { type: "session", sessionId: result.sessionId },
    { type: "text", text: "I write." },
    { type: "tool", name: "edit", detail: "a.txt" },
    { type: "text", text: "All is done." },
  ]);
  expect(out(request)).toContain('{"sent":{"id":2,"method":"session/prompt"}}');
});
