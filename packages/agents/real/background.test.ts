import { join } from "node:path";
import type { ProcessIdentity } from "@quasar/process";
import type { AgentRequest, AgentResult } from "../src/agent.ts";
import { expect, type TestContext, test } from "vitest";
import { endRunProcesses } from "../src/entries/turns.ts";
import type { ModelRequest } from "./model-request.ts";
import { type ModelStub, startModelStub } from "./model-stub.ts";
import { createPlace } from "./place.ts";

const SUBAGENT = "Say what is in README.md.";
const isSubagents = ({ prompts }: ModelRequest): boolean => prompts.includes(SUBAGENT);

/** What Claude Code leaves working while it goes idle, and what its model bills for. */
const BACKGROUND = {
  "commands in the background": {
    name: "Bash",
    input: { command: "sleep 1", description: "Waits", run_in_background: true },
  },
  "subagents in the background": {
    name: "Agent",
    input: {
      description: "Reads",
      prompt: SUBAGENT,
      subagent_type: "general-purpose",
      run_in_background: true,
    },
  },
} as const;

type Kind = keyof typeof BACKGROUND;
const KINDS = Object.keys(BACKGROUND) as readonly Kind[];

interface Turn {
  readonly stub: ModelStub;
  readonly result: Promise<AgentResult>;
}

/** A turn with work in the background; at the request of that number everything is killed. */
async function aTurn(
  { onTestFinished }: TestContext,
  kind: Kind,
  killedAt?: number,
): Promise<Turn> {
  let asked = 0;
  const stub = await startModelStub((request) => {
    asked += 1;
    const after = asked === killedAt ? kill() : undefined;
    const usage = { input: 1000 * asked, output: 300 };
    if (isSubagents(request)) return { text: "A project.", usage, after };
    return request.step === 0 && asked === 1
      ? { tool: BACKGROUND[kind], usage, after }
      : { text: "Done.", usage, after };
  });
  const place = createPlace(stub.url);
  onTestFinished(async () => {
    await stub.close();
    place.remove();
  });
  const runId = `background-${process.pid}-${KINDS.indexOf(kind)}-${killedAt ?? 0}`;
  const request: AgentRequest = {
    runId,
    turnId: `${runId}.1`,
    role: "coder",
    prompt: "Look around.",
    systemPrompt: "You are the coder.",
    workTree: place.workTree,
    access: "write",
    maxCostUsd: 5,
    turnsDir: join(place.root, "turns"),
  };
  let watched: ProcessIdentity | undefined;
  async function kill(): Promise<void> {
    await endRunProcesses(runId, { graceMs: 0 });
    expect(watched).toBeDefined();
  }
  const onStart = async (agent: ProcessIdentity): Promise<void> => void (watched = agent);
  return { stub, result: place.agents.claude.invoke(request, { onStart }) };
}

test.concurrent.for(KINDS)(
  "a turn of Claude Code with %s is booked with all that its model billed",
  async (kind, context) => {
    const { stub, result } = await aTurn(context, kind);
    const { failure, costUsd = 0, unknownUsd = 0 } = await result;
    expect(failure).toBeUndefined();
    expect(stub.requests.length).toBeGreaterThan(2);
    expect(costUsd + unknownUsd).toBeGreaterThanOrEqual(stub.billedUsd - 1e-9);
    expect(costUsd).toBeCloseTo(stub.billedUsd, 6);
  },
);

test.concurrent.for(KINDS.flatMap((kind) => [2, 3].map((at) => [kind, at] as const)))(
  "a turn of Claude Code with %s that is killed at request %i is booked with no less than its model billed",
  async ([kind, at], context) => {
    const { stub, result } = await aTurn(context, kind, at);
    const { failure, costUsd = 0, unknownUsd = 0 } = await result;
    expect(failure?.kind).toBe("killed");
    expect(stub.requests.length).toBeGreaterThanOrEqual(at);
    expect(costUsd + unknownUsd).toBeGreaterThanOrEqual(stub.billedUsd - 1e-9);
  },
);
