import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runFromCheckpoint, runTask } from "@quasar/loop";
import { expect, onTestFinished, test } from "vitest";
import type { AgentEvent, AgentRequest, AgentResult } from "@quasar/agents";
import { findRunProcesses } from "@quasar/agents/turns";
// @boundaries-ignore the stub of the model server is the tests\' own
import type { ModelRequest } from "../../../packages/agents/real/model-request.ts";
// @boundaries-ignore the stub of the model server is the tests\' own
import {
  type ModelFault,
  type ModelScript,
  type ModelStub,
  startModelStub,
} from "../../../packages/agents/real/model-stub.ts";
// @boundaries-ignore the stub of the model server is the tests\' own
import { BIN, createPlace, type Place } from "../../../packages/agents/real/place.ts";
import { createTestStore } from "./test-store.ts";

const AGENTS = ["claude", "codex"] as const;
const FIRST = "Write one.txt, wait, and write two.txt.";
const CONTINUE = "Continue where you were interrupted.";

async function aPlace(script: (place: () => Place) => ModelScript) {
  const stub = await startModelStub((request) => script(() => place)(request));
  const place = createPlace(stub.url);
  onTestFinished(async () => {
    await stub.close();
    place.remove();
  });
  return { place, stub };
}

const idsOf = (runId: string) => ({ runId, turnId: `${runId}.1` });
let runs = 0;
const aTurn = (place: Place, change: Partial<AgentRequest> = {}): AgentRequest => ({
  ...idsOf(`sessions-${process.pid}-${++runs}`),
  role: "coder",
  prompt: FIRST,
  systemPrompt: "You are the coder.",
  workTree: place.workTree,
  access: "write",
  maxCostUsd: 1,
  ...change,
});

/** A model that lets a turn be killed once it has written one.txt, then writes two.txt. */
const untilKilled =
  (killed: ModelFault | { readonly shell: string }) =>
  (place: () => Place): ModelScript =>
  ({ prompt, step }: ModelRequest) => {
    const write = (name: string) => ({
      write: { path: join(place().workTree, name), content: `${name}\n` },
      usage: { input: 1000 + step, output: 200 },
    });
    if (prompt.includes(FIRST)) {
      return step === 0 ? write("one.txt") : killed;
    }
    return step === 0 ? write("two.txt") : { text: "Done.", usage: { input: 300, output: 7 } };
  };

function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // Gone with another one that was killed.
    expect(error).toMatchObject({ code: "ESRCH" });
  }
}

/** Kills a turn with all its processes, in its second request or when so much of it was reported. */
async function killAfter(told: () => number, expected: number, stub: ModelStub, runId: string) {
  await expect.poll(() => [stub.requests.length, told()]).toEqual([2, expected]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const pid of findRunProcesses(runId) ?? []) {
    killNow(pid);
  }
}

const sumOf = (results: readonly AgentResult[]) =>
  results.reduce((sum, { costUsd = Number.NaN }) => sum + costUsd, 0);

test.for(
  AGENTS.flatMap((name) => [
    [name, "in a command", { shell: 'node -e "setTimeout(String, 3e5)"' }, 0] as const,
    [name, "in an answer", { kind: "hang", after: 2 } as const, 1] as const,
  ]),
)(
  "%s, killed %s, is resumed in its own session, and nothing is counted twice",
  async ([name, , killed, inFlight]) => {
    const { place, stub } = await aPlace(untilKilled(killed));
    const agent = place.agents[name];
    const { choosesSessionId } = agent.capabilities;
    const request = aTurn(place, choosesSessionId ? { sessionId: randomUUID() } : {});
    const events: AgentEvent[] = [];
    const told = () => events.filter(({ type }) => type === "usage").length;
    const [first] = await Promise.all([
      agent.invoke(request, { onEvent: (event) => events.push(event) }),
      killAfter(told, 2 - inFlight, stub, request.runId),
    ]);
    expect(first).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
    expect(existsSync(join(place.workTree, "two.txt"))).toBe(false);
    const { sessionId } = first;
    expect(events).toContainEqual({ type: "session", sessionId });

    const killedUsd = stub.billedUsd;
    expect(first.costUsd).toBeGreaterThan(0);
    expect(first.costUsd).toBeLessThanOrEqual(killedUsd + 1e-9);
    if (inFlight === 0) {
      expect(first.costUsd).toBeCloseTo(killedUsd, 9);
    }

    const again = aTurn(place, { prompt: CONTINUE, sessionId, resumesSession: true });
    const second = await agent.invoke(again);
    expect(second).toMatchObject({ text: "Done.", sessionId });
    expect(second.failure).toBeUndefined();
    expect(existsSync(join(place.workTree, "two.txt"))).toBe(true);
    expect(stub.requests.at(-1)?.prompts.join("\n")).toContain(FIRST);
    const third = await agent.invoke({ ...again, prompt: "And again." });
    expect(sumOf([second, third])).toBeCloseTo(stub.billedUsd - killedUsd, 9);
  },
);

const projectsOf = ({ root }: Place) => join(root, "home/.claude/projects");

/** Of which of Claude Code's sessions the prompt is on record. */
function recordOf(place: Place): readonly string[] {
  const projects = projectsOf(place);
  if (!existsSync(projects)) return [];
  const names = readdirSync(projects, { recursive: true, encoding: "utf8" });
  const isSaid = (name: string) => readFileSync(join(projects, name), "utf8").includes('"user"');
  return names.filter((name) => name.endsWith(".jsonl") && isSaid(name));
}

test.for([
  ["with nothing on record, is begun anew", 0, "--session-id"],
  ["with its prompt on record, continues in its session", 1, "--resume"],
] as const)(
  "claude that is killed in its first request %s, with one start",
  async ([, onRecord, flag]) => {
    const { place, stub } = await aPlace(() => () => ({ kind: "hang", after: 0 }));
    const starts = join(place.root, "starts");
    const noted = `echo "$PPID $$ $*" | tr '\\n' ' ' >> '${starts}'; echo >> '${starts}'`;
    place.breakProgram("claude", `${noted}; exec '${BIN}/claude' "$@"`);
    const started = () => readFileSync(starts, "utf8").trim().split("\n");
    const { promise: killed, resolve: toldKilled } = Promise.withResolvers<void>();
    stub.script = () => {
      const kill = () => {
        if (recordOf(place).length < onRecord) return void setTimeout(kill, 10);
        const [supervisor, claude] = (started()[0] ?? "").split(" ");
        killNow(Number(supervisor));
        killNow(Number(claude));
        toldKilled();
      };
      kill();
      return { kind: "hang", after: 0 };
    };
    const store = createTestStore();
    const saved: Parameters<typeof store.save>[0][] = [];
    const keeping = {
      ...store,
      save: (...[checkpoint]: Parameters<typeof store.save>) => {
        saved.push(structuredClone(checkpoint));
        return store.save(checkpoint);
      },
    };
    const options = {
      workTree: place.workTree,
      coder: place.agents.claude,
      reviewer: place.agents.claude,
      turnsDir: join(place.root, "turns"),
      checkpoint: { store: keeping, granularity: "turn" },
    } as const;
    await Promise.all([runTask({ id: "t-1", title: FIRST }, options), killed]);
    // A slow machine may have left it the time.
    if (onRecord === 0) rmSync(projectsOf(place), { recursive: true, force: true });

    // As the runner leaves it that is killed at the same moment.
    const crashed = saved.findLast(({ turn, failure }) => turn?.pid !== 0 && failure === "");
    if (crashed === undefined) throw new Error("nothing was saved");
    const asked = stub.requests.length;
    stub.script = () => ({
      kind: "status",
      status: 401,
      type: "authentication_error",
      message: "",
    });
    await runFromCheckpoint(crashed, options);
    expect(started()).toHaveLength(2);
    expect(started()[1]).toContain(`${flag}=`);
    expect(stub.requests[asked]?.prompts.join("\n")).toContain(FIRST);
  },
);

test.for(AGENTS)(
  "%s misses a session that it does not know, and asks for nothing",
  async (name) => {
    const { place, stub } = await aPlace(() => () => ({ text: "Done." }));
    const request = aTurn(place, { sessionId: randomUUID(), resumesSession: true });
    const result = await place.agents[name].invoke(request);
    expect(result).toMatchObject({ failure: { kind: "session-missing" }, costUsd: 0 });
    expect(stub.requests).toEqual([]);
  },
);
