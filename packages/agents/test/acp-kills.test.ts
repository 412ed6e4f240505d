import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProcessIdentity } from "@quasar/process";
import { expect, onTestFinished, test } from "vitest";
import type { AgentRequest, UnfinishedTurn } from "../src/agent.ts";
import { findRunProcesses } from "../src/run-processes.ts";
import type { AcpScript, AcpStep } from "./acp-agent.ts";
import { aFake, aTurn, DONE, type Fake, untilKept } from "./acp-fake.ts";

const KEEPER = fileURLToPath(new URL("acp-keeper.ts", import.meta.url));

const READ = { toolCallId: "t", kind: "read", title: "Read" };

/** Where a turn is when something is killed, and what is on record by then. */
interface Stage {
  readonly where: string;
  readonly kept: string;
  readonly script: (waits: AcpStep) => Partial<AcpScript> & { readonly steps?: readonly AcpStep[] };
  /** What the agent was asked by then. */
  readonly asked: string;
  /** Whether its session can be continued in by then. */
  readonly hasSession: boolean;
}

const SAY: AcpStep = { do: "say", text: "Done." };
const STEPS: readonly AcpStep[] = [{ do: "ask", call: READ }, SAY, DONE];

const STAGES: readonly Stage[] = [
  {
    where: "before it is introduced",
    kept: '"method":"initialize"',
    asked: "initialize",
    script: (waits) => ({ before: { initialize: [waits] } }),
    hasSession: false,
  },
  {
    where: "as its session begins",
    kept: '"method":"session/new"',
    asked: "session/new",
    script: (waits) => ({ before: { "session/new": [waits] } }),
    hasSession: false,
  },
  {
    where: "when it is prompted",
    kept: '"method":"session/prompt"',
    asked: "session/prompt",
    script: (waits) => ({ steps: [waits, ...STEPS] }),
    hasSession: false,
  },
  {
    where: "in a tool",
    kept: '"status":"in_progress"',
    asked: "session/prompt",
    script: (waits) => ({
      steps: [
        { do: "update", update: { ...READ, sessionUpdate: "tool_call", status: "in_progress" } },
        waits,
        ...STEPS,
      ],
    }),
    hasSession: true,
  },
  {
    where: "with a permission",
    kept: '"outcome":"selected"',
    asked: "session/prompt",
    script: (waits) => ({ steps: [{ do: "ask", call: READ }, SAY, waits, DONE] }),
    hasSession: true,
  },
];

/** A turn of a fake that waits at a stage until it is released. */
function aTurnAt({ script }: Stage, change: Partial<AgentRequest> = {}) {
  const request = aTurn(change);
  const go = join(request.workTree, "go");
  const { steps = STEPS, ...rest } = script({ do: "wait", for: go });
  return { request, fake: aFake(steps, rest), release: () => writeFileSync(go, "") };
}

async function untilAt({ kept, asked }: Stage, fake: Fake, request: AgentRequest): Promise<void> {
  await untilKept(request, kept);
  await expect.poll(fake.methods, { timeout: 30_000 }).toContain(asked);
}

const prompts = ({ methods }: Fake): number =>
  methods().filter((method) => method === "session/prompt").length;

test.for(STAGES)(
  "a turn outlives its runner $where, and ends as if nothing had been",
  async (stage) => {
    const { request, fake, release } = aTurnAt(stage);
    const args = [KEEPER, JSON.stringify(request), JSON.stringify(fake.args)];
    const stdio = ["ignore", "pipe", "inherit"] as const;
    const runner = spawn(process.execPath, args, { detached: true, stdio: [...stdio] });
    const [printed] = (await once(runner.stdout, "data")) as [Buffer];
    await untilAt(stage, fake, request);
    process.kill(-Number(runner.pid), "SIGKILL");
    await once(runner, "exit");
    const owner = JSON.parse(String(printed)) as ProcessIdentity;
    const turn: UnfinishedTurn = { request: { ...request, prompt: "" }, process: owner };
    onTestFinished(() => fake.agent.end?.(turn));
    expect(await fake.agent.find?.(turn)).toEqual({ state: "alive" });
    release();
    const result = await fake.agent.adopt?.(turn);
    expect(result).toMatchObject({ text: "Done." });
    expect(result).not.toHaveProperty("failure");
    expect(await fake.agent.find?.(turn)).toEqual({ state: "ended", result });
    expect(prompts(fake)).toBe(1);
  },
);

type Victim = "agent" | "supervisor";
const VICTIMS: readonly Victim[] = ["agent", "supervisor"];
const KILLS = STAGES.flatMap((stage) => VICTIMS.map((victim) => ({ ...stage, victim })));

test.for(KILLS)(
  "a turn whose $victim is killed $where is a failure, and taken again",
  async (kill) => {
    const { request, fake, release } = aTurnAt(kill);
    let owner: ProcessIdentity | undefined;
    const running = fake.agent.invoke(request, {
      onStart: async (process) => void (owner = process),
    });
    await untilAt(kill, fake, request);
    const named = JSON.parse(readFileSync(join(request.turnsDir ?? "", "1.agent"), "utf8")) as {
      readonly pid: number;
    };
    process.kill(kill.victim === "agent" ? named.pid : (owner?.pid ?? 0), "SIGKILL");
    const result = await running;
    expect(result.failure?.kind).toBe("killed");
    await expect.poll(() => findRunProcesses(request.runId)).toEqual([]);
    expect(result.sessionId !== undefined).toBe(kill.hasSession);
    const found = await fake.agent.find?.({ request, process: owner });
    expect(found).toMatchObject(
      kill.victim === "agent" ? { state: "ended", result } : { state: "died" },
    );
    release();
    const { sessionId } = result;
    const again = {
      ...request,
      turnId: `${request.runId}.2`,
      sessionId,
      resumesSession: kill.hasSession,
    };
    expect(await fake.agent.invoke(again)).toMatchObject({ text: "Done." });
    expect(fake.methods().filter((method) => method === "session/load")).toHaveLength(
      kill.hasSession ? 1 : 0,
    );
  },
);

test.for(VICTIMS)("a turn whose %s is killed after its answer has been done", async (victim) => {
  const request = aTurn();
  const fake = aFake(STEPS, { ignoresEnd: true });
  let owner: ProcessIdentity | undefined;
  const running = fake.agent.invoke(request, {
    onStart: async (process) => void (owner = process),
  });
  await untilKept(request, '"stopReason":"end_turn"');
  const named = JSON.parse(readFileSync(join(request.turnsDir ?? "", "1.agent"), "utf8")) as {
    readonly pid: number;
  };
  process.kill(victim === "agent" ? named.pid : (owner?.pid ?? 0), "SIGKILL");
  const result = await running;
  expect(result).toMatchObject({ text: "Done." });
  expect(result).not.toHaveProperty("failure");
  expect(prompts(fake)).toBe(1);
});
