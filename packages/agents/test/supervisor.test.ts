import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  currentProcess,
  identityOf,
  isAlive,
  parseIdentity,
  type ProcessIdentity,
} from "@quasar/process";
import type { AgentRequest, UnfinishedTurn } from "../src/agent.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AgentScript, ScriptedTurn } from "../src/agent-script.ts";
import { createClaudeAgent } from "../src/claude.ts";
import { createCommandAgent } from "../src/command.ts";
import { prewarm } from "../src/prewarm.ts";
import { findRunProcesses } from "../src/run-processes.ts";
import { createScriptedAgent } from "../src/scripted.ts";
import { aModelServer, type ModelReply } from "./model-server.ts";
import { aSample, aShellScript } from "./program.ts";
import { aDirectory, aListener, aRequest } from "./request.ts";

const KEEPER = fileURLToPath(new URL("keeper.ts", import.meta.url));
const FEW_FILES = fileURLToPath(new URL("few-files.ts", import.meta.url));
const FLOODED = fileURLToPath(new URL("flooded.ts", import.meta.url));
const MISBEHAVE = fileURLToPath(new URL("misbehave.ts", import.meta.url));
const MB = 2 ** 20;

const turn: ScriptedTurn = {
  role: "coder",
  says: ["one", "two", "three"],
  files: { "late.txt": "late\n" },
  text: "done",
  costUsd: 0.75,
  delayMs: 900,
};
const LONG: ScriptedTurn = { ...turn, delayMs: 3_600_000 };
const agent = createScriptedAgent({ turns: [turn] });

const billed = (costUsd: number): ModelReply => ({ body: { costUsd } });

function aTurn(change: Partial<AgentRequest> = {}): AgentRequest {
  return aRequest({ turnsDir: join(aDirectory(), "turns"), ...change });
}

const file = ({ turnsDir = "" }: AgentRequest, ending: string) => join(turnsDir, `1.${ending}`);

function aFile(lines: readonly string[]): string {
  const path = join(aDirectory(), "lines");
  fs.writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

/** The most memory that a process has had, where the system says so; else what it has. */
function memoryKb(pid: number): number {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch {
    return Number(spawnSync("ps", ["-o", "rss=", "-p", String(pid)]).stdout?.toString() ?? 0);
  }
}

async function until(holds: () => unknown): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds()) && performance.now() < deadline) await sleep(20);
  expect(await holds()).toBeTruthy();
}

interface OrphanOptions {
  readonly of?: ScriptedTurn;
  /** The runner never lets the agent begin. */
  readonly stays?: boolean;
  /** What the runner prints before it is killed. */
  readonly after?: string;
  readonly model?: string;
}

/** Starts a turn in a runner of its own, and kills that runner's whole group. */
async function orphaned(
  request: AgentRequest,
  { of = turn, stays = false, after = '"text"', model }: OrphanOptions = {},
): Promise<UnfinishedTurn> {
  const script: AgentScript = { turns: [of], model };
  const args = [
    KEEPER,
    JSON.stringify(request),
    JSON.stringify(script),
    ...(stays ? ["stay"] : []),
  ];
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const runner = spawn(process.execPath, args, { detached: true, stdio: [...stdio] });
  let printed = "";
  while (!printed.includes(after)) printed += String(await once(runner.stdout, "data"));
  process.kill(-Number(runner.pid), "SIGKILL");
  await once(runner, "exit");
  const owner = JSON.parse(printed.slice(0, printed.indexOf("\n"))) as ProcessIdentity;
  const unfinished = { request: { ...request, prompt: "" }, process: owner };
  onTestFinished(() => agent.end?.(unfinished));
  return unfinished;
}

test("a turn outlives its runner's whole group, is followed, and read as often as one likes", async () => {
  const request = aTurn();
  const go = Promise.withResolvers<void>();
  const { url: model } = await aModelServer(async (step) => {
    if (step > 0) await go.promise;
    return billed(step > 0 ? 0 : 0.75);
  });
  const unfinished = await orphaned(request, { of: { ...turn, delayMs: 0 }, model });
  expect(await agent.find?.(unfinished)).toEqual({ state: "alive" });
  go.resolve();
  const { events, onEvent } = aListener();
  const result = await agent.adopt?.(unfinished, { onEvent });
  expect(result).toMatchObject({ text: "done", costUsd: 0.75, costSource: "reported" });
  expect(result).not.toHaveProperty("failure");
  expect(events.filter(({ type }) => type === "text")).toHaveLength(3);
  expect(fs.readFileSync(join(request.workTree, "late.txt"), "utf8")).toBe("late\n");
  await until(() => isAlive(unfinished.process ?? currentProcess()) === false);
  expect(await agent.find?.(unfinished)).toEqual({ state: "ended", result });
  const again = aListener();
  expect(await agent.adopt?.(unfinished, { onEvent: again.onEvent })).toEqual(result);
  expect(again.events).toEqual(events);
});

test("a process of which nothing but its number is known is neither ended nor told to stop", async () => {
  const victim = spawn("sleep", ["600"], { stdio: "ignore" });
  onTestFinished(() => void victim.kill("SIGKILL"));
  const { host } = currentProcess();
  const owner = { pid: victim.pid ?? 0, startTime: undefined, bootId: undefined, host };
  const turn = { request: aTurn(), process: owner };
  await agent.end?.(turn);
  const controller = new AbortController();
  const adopting = agent.adopt?.(turn, { signal: controller.signal });
  controller.abort();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(victim.exitCode ?? victim.signalCode).toBeNull();
  victim.kill("SIGKILL");
  expect(await adopting).toMatchObject({ failure: { kind: "killed" } });
});

test("a runner that dies before it has stored the process starts nothing", async () => {
  const request = aTurn();
  const unfinished = await orphaned(request, {
    stays: true,
    after: '"pid"',
  });
  expect(await agent.find?.(unfinished)).toEqual({ state: "not-started" });
  expect(findRunProcesses(request.runId)).toEqual([]);
  expect(fs.readdirSync(request.turnsDir ?? "")).toEqual([]);
});

test("a rejected onStart starts nothing, and rejects", async () => {
  const request = aTurn();
  const error = new Error("the disk is full");
  let owner: ProcessIdentity | undefined;
  const onStart = async (started: ProcessIdentity) => {
    owner = started;
    throw error;
  };
  await expect(agent.invoke(request, { onStart })).rejects.toBe(error);
  expect(await agent.find?.({ request, process: owner })).toEqual({ state: "not-started" });
  expect(findRunProcesses(request.runId)).toEqual([]);
});

test("the agent is not there while its process is being stored", async () => {
  const request = aTurn();
  const seen: (readonly number[] | undefined)[] = [];
  const pids: number[] = [];
  await agent.invoke(request, {
    async onStart({ pid }) {
      pids.push(pid);
      await sleep(200);
      seen.push(findRunProcesses(request.runId));
      expect(fs.existsSync(file(request, "out"))).toBe(false);
    },
  });
  expect(seen).toEqual([pids]);
});

/** A turn's end is on record a moment before its supervisor is gone. */
async function noneIsLeft({ runId }: AgentRequest): Promise<void> {
  await until(async () => findRunProcesses(runId)?.length === 0);
}

/** The one process of a run. */
async function onlyProcess(runId: string): Promise<number> {
  const pids = findRunProcesses(runId);
  expect(pids).toEqual([expect.any(Number)]);
  return pids?.[0] ?? 0;
}

test("a turn is run by the process that was prewarmed for it, which has done nothing before", async () => {
  const request = aTurn();
  const dispose = prewarm(request);
  onTestFinished(dispose);
  const waiting = await onlyProcess(request.runId);
  await sleep(300);
  expect(fs.existsSync(request.turnsDir ?? "")).toBe(false);
  const pids: number[] = [];
  const result = await agent.invoke(request, { onStart: async ({ pid }) => void pids.push(pid) });
  expect(result).toMatchObject({ text: "done" });
  expect(pids).toEqual([waiting]);
});

test("a turn is not disturbed when what was prewarmed for it is disposed of", async () => {
  const request = aTurn();
  const dispose = prewarm(request);
  const onStart = async (): Promise<void> => dispose();
  expect(await agent.invoke(request, { onStart })).toMatchObject({ text: "done" });
});

test("a process that was prewarmed for another turn is left alone", async () => {
  const request = aTurn();
  const dispose = prewarm({ runId: request.runId, turnId: `${request.runId}.2` });
  const waiting = await onlyProcess(request.runId);
  const pids: number[] = [];
  await agent.invoke(request, { onStart: async ({ pid }) => void pids.push(pid) });
  expect(pids).toHaveLength(1);
  expect(pids).not.toContain(waiting);
  dispose();
});

test("what was prewarmed ends when it is disposed of", async () => {
  const request = aTurn();
  const dispose = prewarm(request);
  expect(await onlyProcess(request.runId)).toBeGreaterThan(0);
  dispose();
  await noneIsLeft(request);
  expect(fs.existsSync(request.turnsDir ?? "")).toBe(false);
});

test("what was prewarmed ends with its runner", async () => {
  const request = aTurn();
  const module = JSON.stringify(new URL("../src/prewarm.ts", import.meta.url));
  const code = `import { prewarm } from ${module};
    prewarm(${JSON.stringify(request)});
    console.log("ready");`;
  const runner = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "pipe" });
  await once(runner.stdout, "data");
  expect(await onlyProcess(request.runId)).toBeGreaterThan(0);
  runner.kill("SIGKILL");
  await noneIsLeft(request);
  expect(fs.existsSync(request.turnsDir ?? "")).toBe(false);
});

test("a turn gets a process of its own when the one that waited for it was killed", async () => {
  const request = aTurn();
  onTestFinished(prewarm(request));
  const waiting = await onlyProcess(request.runId);
  process.kill(waiting, "SIGKILL");
  await noneIsLeft(request);
  const pids: number[] = [];
  const result = await agent.invoke(request, { onStart: async ({ pid }) => void pids.push(pid) });
  expect(result).toMatchObject({ text: "done" });
  expect(pids).not.toContain(waiting);
});

test("one process waits for a turn however often it is prewarmed, and any agent takes it", async () => {
  const request = aTurn();
  onTestFinished(prewarm(request));
  const waiting = await onlyProcess(request.runId);
  onTestFinished(prewarm(request));
  expect(await onlyProcess(request.runId)).toBe(waiting);
  const pids: number[] = [];
  const onStart = async ({ pid }: ProcessIdentity) => void pids.push(pid);
  const result = await createCommandAgent({ command: "echo done" }).invoke(request, { onStart });
  expect(result).toMatchObject({ text: "done" });
  expect(pids).toEqual([waiting]);
});

test.for(["first", "second"] as const)(
  "a process that was prewarmed twice ends when the %s disposes of it",
  async (which) => {
    const request = aTurn();
    const both = { first: prewarm(request), second: prewarm(request) };
    for (const dispose of Object.values(both)) onTestFinished(dispose);
    expect(await onlyProcess(request.runId)).toBeGreaterThan(0);
    both[which]();
    await noneIsLeft(request);
  },
);

test("one that was killed while it waited is replaced, and only who prewarmed that disposes of it", async () => {
  const request = aTurn();
  const first = prewarm(request);
  const killed = await onlyProcess(request.runId);
  process.kill(killed, "SIGKILL");
  await noneIsLeft(request);
  const second = prewarm(request);
  onTestFinished(second);
  const waiting = await onlyProcess(request.runId);
  expect(waiting).not.toBe(killed);
  first();
  await sleep(300);
  expect(await onlyProcess(request.runId)).toBe(waiting);
  second();
  await noneIsLeft(request);
});

test("a leashed turn ends with its runner, and says so", async () => {
  const unfinished = await orphaned(aTurn({ leash: true }), { of: LONG });
  await until(async () => (await agent.find?.(unfinished))?.state === "ended");
  expect(await agent.adopt?.(unfinished)).toMatchObject({ failure: { kind: "cancelled" } });
  await noneIsLeft(unfinished.request);
});

test("a turn's money holds when nobody watches it but its supervisor", async () => {
  const rich = { ...LONG, costUsd: 30, delayMs: 18_000 };
  const unfinished = await orphaned(aTurn({ maxCostUsd: 5 }), { of: rich });
  const result = await agent.adopt?.(unfinished);
  expect(result).toMatchObject({ failure: { kind: "budget" }, costUsd: 10, costSource: "partial" });
});

test("a runner sees that its supervisor was killed, and ends what is left", async () => {
  const request = aTurn();
  const { url: model } = await aModelServer((step) => (step > 0 ? "hang" : billed(0.25)));
  const of = createScriptedAgent({ turns: [turn], model });
  let owner: ProcessIdentity | undefined;
  const result = await of.invoke(request, {
    onStart: async (started) => void (owner = started),
    onEvent: ({ type }) => type === "usage" && owner && process.kill(owner.pid, "SIGKILL"),
  });
  expect(result).toMatchObject({
    failure: { kind: "killed" },
    costUsd: 0.25,
    costSource: "partial",
  });
  expect(findRunProcesses(request.runId)).toEqual([]);
});

test("a killed supervisor is found dead, with what its agent has spent, and what is left is ended", async () => {
  const { url: model } = await aModelServer((step) => (step > 0 ? "hang" : billed(0.25)));
  const unfinished = await orphaned(aTurn(), { model, after: '"usage"' });
  process.kill(unfinished.process?.pid ?? 0, "SIGKILL");
  await until(() => isAlive(unfinished.process ?? currentProcess()) === false);
  const found = await agent.find?.(unfinished);
  expect(found).toMatchObject({ state: "died", costUsd: 0.25, costSource: "partial" });
  expect(findRunProcesses(unfinished.request.runId)).toHaveLength(1);
  await agent.end?.(unfinished);
  expect(findRunProcesses(unfinished.request.runId)).toEqual([]);
});

test("an agent that has none of its variables is ended where its supervisor was killed", async () => {
  const request = aTurn();
  const shed = createCommandAgent({ file: "sh", args: ["-c", "exec env -i /bin/sleep 600"] });
  const { promise: started, resolve } = Promise.withResolvers<ProcessIdentity>();
  const result = shed.invoke(request, { onStart: async (owner) => resolve(owner) });
  const owner = await started;
  const named = file(request, "agent");
  await until(() => fs.existsSync(named) && fs.readFileSync(named, "utf8") !== "");
  const child = parseIdentity(JSON.parse(fs.readFileSync(named, "utf8"))) ?? currentProcess();
  await until(() => !findRunProcesses(request.runId)?.includes(child.pid));
  expect(isAlive(child)).toBe(true);
  process.kill(owner.pid, "SIGKILL");
  expect(await result).toMatchObject({ failure: { kind: "killed" } });
  await until(() => isAlive(child) === false);
});

/** A process of the user's that no turn has started; the leader of its group, as in a terminal. */
function aStranger(): ProcessIdentity {
  const stranger = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  onTestFinished(() => void stranger.kill("SIGKILL"));
  return identityOf(stranger.pid ?? 0);
}

test.for([
  ["a number alone", ({ pid, host }: ProcessIdentity) => ({ pid, host })],
  ["what is older than the turn", (own: ProcessIdentity) => own],
] as const)("a file of an agent's that names %s has nobody ended", async ([, named]) => {
  const stranger = aStranger();
  await sleep(50);
  const unfinished = await orphaned(aTurn(), { of: LONG });
  const { process: owner, request } = unfinished;
  const path = file(request, "agent");
  fs.writeFileSync(path, JSON.stringify({ v: 1, ...named(stranger) }));
  process.kill(owner?.pid ?? 0, "SIGKILL");
  await until(() => isAlive(owner ?? currentProcess()) === false);
  expect(await agent.find?.(unfinished)).toMatchObject({ state: "died" });
  await agent.end?.(unfinished);
  expect(isAlive(stranger)).toBe(true);
  expect(findRunProcesses(request.runId)).toEqual([]);
});

test("an end spares what else carries the run's id", async () => {
  const unfinished = await orphaned(aTurn(), { of: LONG });
  const { runId } = unfinished.request;
  const other = spawn("sleep", ["600"], { env: { ...process.env, QUASAR_RUN_ID: runId } });
  onTestFinished(() => void other.kill("SIGKILL"));
  await agent.end?.(unfinished);
  expect(findRunProcesses(runId)).toEqual([other.pid]);
});

test.for(["invoke", "adopt"] as const)("a signal cancels the turn of an %s", async (way) => {
  const request = aTurn();
  const controller = new AbortController();
  const onEvent = () => controller.abort();
  const options = { signal: controller.signal, onEvent };
  const of = createScriptedAgent({ turns: [LONG] });
  const result =
    way === "invoke"
      ? await of.invoke(request, options)
      : await of.adopt?.(await orphaned(request, { of: LONG }), options);
  expect(result).toMatchObject({ failure: { kind: "cancelled" } });
  await noneIsLeft(request);
});

test("a listener that throws has the turn cancelled, and its error is the caller's", async () => {
  const request = aTurn();
  const error = new Error("a bug of the caller's");
  const onEvent = () => {
    throw error;
  };
  const of = createScriptedAgent({ turns: [LONG] });
  await expect(of.invoke(request, { onEvent })).rejects.toBe(error);
  await noneIsLeft(request);
});

test("a number is used for one turn only", async () => {
  const request = aTurn();
  await agent.invoke(request);
  await expect(agent.invoke(request)).rejects.toMatchObject({ code: "ERR_TURN_BEGUN" });
});

test("a prompt arrives as it is, whatever line breaks it has", async () => {
  const prompt = "a\u2028b\u2029c\r\nd\u0085e\0f";
  const request = aTurn({ prompt, systemPrompt: "" });
  const { text } = await createCommandAgent({ command: "cat" }).invoke(request);
  expect(text).toContain("a\u2028b\u2029c\nd\u0085e\0f");
});

test("no secret of the environment reaches the disk, in whatever form it is printed", async () => {
  const secret = 's3cr"et/+value\\4711';
  const env = {
    ...process.env,
    MY_API_KEY: secret,
    PEM_PRIVATE: "-----BEGIN-----\nlineofakey1\nlineofakey2\n",
  };
  const request = aTurn();
  const forms = [
    secret,
    JSON.stringify({ secret }),
    encodeURIComponent(secret),
    Buffer.from(`Bearer ${secret}!`).toString("base64"),
    Buffer.from(`:${secret}!`).toString("base64"),
    "https://user:hunter2@example.org/x",
    "lineofakey2",
  ];
  const script = 'printf "%s\\n" "$FORMS"; printf "%s" "$FORMS" >&2; sleep 0.1; exit 1';
  const of = createCommandAgent({ command: script, env, setEnv: { FORMS: forms.join("\n") } });
  await of.invoke(request);
  await noneIsLeft(request); // a supervisor removes its empty file of errors as the last
  const kept = fs
    .readdirSync(request.turnsDir ?? "")
    .map((name) => fs.readFileSync(join(request.turnsDir ?? "", name), "utf8"))
    .join("\n");
  expect(kept.match(/\[redacted\]/g)).toHaveLength(14);
  const inner = Buffer.from(secret).toString("base64").slice(4, -4);
  for (const hidden of [secret, "s3cr", inner, "hunter2", "lineofakey2"]) {
    expect(kept).not.toContain(hidden);
  }
});

const OWNER_GONE = { ...currentProcess(), startTime: 1 };
const EXIT = {
  v: 1,
  started: true,
  exitCode: 0,
  exitSignal: null,
  stderrTail: "",
  durationMs: 1,
  orphansEnded: 0,
};
const USAGE = '{"type":"usage","costUsd":0.25}\n';

test.for([
  ["no files", {}, "not-started"],
  ["output", { out: USAGE }, "died"],
  ["output that is cut off", { out: `${USAGE}{"type":"resu` }, "died"],
  ["output that is no text", { out: Buffer.from([0xff, 0, 10, 0xc3, 10]) }, "died"],
  ["a whole end", { out: USAGE, exit: JSON.stringify(EXIT) }, "ended"],
  ["an empty end", { out: USAGE, exit: "" }, "died"],
  ["half an end", { out: USAGE, exit: '{"v":1,"star' }, "died"],
  ["an end of another version", { out: USAGE, exit: JSON.stringify({ ...EXIT, v: 2 }) }, "died"],
  ["an end that is a list", { out: USAGE, exit: "[]" }, "died"],
  [
    "an end by an unknown reason",
    { out: USAGE, exit: JSON.stringify({ ...EXIT, stopped: "constructor" }) },
    "died",
  ],
  [
    "an end by an unknown problem",
    { out: USAGE, exit: JSON.stringify({ ...EXIT, problem: { kind: "x", message: "" } }) },
    "died",
  ],
  ["an end of a megabyte", { out: USAGE, exit: `"${"x".repeat(MB)}"` }, "died"],
  ["a context that is none", { out: USAGE, start: '{"context":{"before":7}}' }, "died"],
] as const)("of %s a dead supervisor's turn is told", async ([, files, state]) => {
  const request = aTurn();
  fs.mkdirSync(request.turnsDir ?? "");
  for (const [ending, bytes] of Object.entries<string | Buffer>(files)) {
    fs.writeFileSync(file(request, ending), bytes);
  }
  const found = await agent.find?.({ request, process: OWNER_GONE });
  expect(found?.state).toBe(state);
  const result = await agent.adopt?.({ request, process: OWNER_GONE });
  expect(result?.failure?.kind).toBe(state === "ended" ? "bad-output" : "killed");
});

test.for(["link", "folder", "pipe"] as const)("a %s is no end of a turn", async (kind) => {
  const request = aTurn();
  fs.mkdirSync(request.turnsDir ?? "");
  const path = file(request, "exit");
  const target = join(aDirectory(), "target");
  fs.writeFileSync(target, JSON.stringify(EXIT));
  if (kind === "link") fs.symlinkSync(target, path);
  else if (kind === "folder") fs.mkdirSync(path);
  else await once(spawn("mkfifo", [path]), "exit");
  fs.symlinkSync(target, file(request, "out"));
  expect(await agent.find?.({ request, process: OWNER_GONE })).toEqual({ state: "not-started" });
  await expect(agent.invoke(request)).rejects.toMatchObject({ code: "ERR_TURN_BEGUN" });
  expect(fs.readFileSync(target, "utf8")).toBe(JSON.stringify(EXIT));
});

test.for(["../../x.1", "x.1/../2", "x.", "x.01", "x.1\0"])(
  "refuses %j as a turn's id",
  async (turnId) => {
    const request = aTurn({ runId: "x", turnId });
    const refusal = { code: "ERR_INVALID_RUN_ID" };
    await expect(agent.find?.({ request, process: undefined })).rejects.toMatchObject(refusal);
    await expect(agent.invoke(request)).rejects.toMatchObject(refusal);
  },
);

test.for([
  ["a reused pid", { startTime: 1 }, "died"],
  ["a pid of before the last boot", { bootId: "another" }, "unknown"],
  ["a pid of another machine", { host: "another.example", bootId: "another" }, "unknown"],
  ["a process of a machine that has another name now", { host: "another.example" }, "alive"],
  ["a reused pid of a machine with another name", { host: "x.example", startTime: 1 }, "died"],
  ["a process that lives", {}, "alive"],
] as const)("%s is not taken for what it is not", async ([, change, state]) => {
  const request = aTurn();
  fs.mkdirSync(request.turnsDir ?? "");
  fs.writeFileSync(file(request, "out"), USAGE);
  const found = await agent.find?.({ request, process: { ...currentProcess(), ...change } });
  expect(found?.state).toBe(state);
});

test.for([
  ["may have been lost where the machine was started anew since", { bootId: "another" }, "unknown"],
  ["says that no agent was started where it was not", { startTime: 1 }, "not-started"],
] as const)("output that is not there %s", async ([, change, state]) => {
  const request = aTurn();
  fs.mkdirSync(request.turnsDir ?? "");
  const found = await agent.find?.({ request, process: { ...currentProcess(), ...change } });
  expect(found?.state).toBe(state);
});

test.for([
  ["a second's output and no more", USAGE, 0.25],
  ["all that there was", undefined, 0],
] as const)(
  "where a power cut may have taken %s, a response more counts",
  async ([, out, costUsd]) => {
    const bounded = createScriptedAgent({ turns: [turn], responseUsd: 0.5 });
    const request = aTurn();
    fs.mkdirSync(request.turnsDir ?? "");
    if (out !== undefined) fs.writeFileSync(file(request, "out"), out);
    const process = { ...currentProcess(), bootId: "another" };
    const known = { costUsd, costSource: "partial", unknownUsd: 1 };
    expect(await bounded.find?.({ request, process })).toMatchObject({ state: "died", ...known });
  },
);

test("the end of a turn says how it was begun, as a power cut may take what said so", async () => {
  const request = aTurn();
  const read = (ending: string): object =>
    JSON.parse(fs.readFileSync(file(request, ending), "utf8")) as object;
  await agent.invoke(request);
  const beginning = read("start");
  expect(beginning).toMatchObject({ agent: "scripted" });
  expect(read("exit")).toMatchObject(beginning);
  fs.rmSync(file(request, "start"));
  const process = { ...currentProcess(), bootId: "another" };
  expect(await agent.find?.({ request, process })).toMatchObject({ state: "ended" });
});

test("an agent without its supervisor is found by its name, and ended by it, unless it is another", async () => {
  const request = aTurn();
  fs.mkdirSync(request.turnsDir ?? "");
  fs.writeFileSync(file(request, "out"), USAGE);
  const left = spawn("sleep", ["600"], { detached: true });
  onTestFinished(() => void left.kill("SIGKILL"));
  const child = identityOf(left.pid ?? 0);
  const unfinished = { request, process: OWNER_GONE };
  const name = (change: Partial<ProcessIdentity>): void =>
    fs.writeFileSync(file(request, "agent"), JSON.stringify({ ...child, ...change }));
  name({ startTime: 1 });
  expect(await agent.find?.(unfinished)).not.toHaveProperty("isLeft");
  await agent.end?.(unfinished);
  expect(isAlive(child)).toBe(true);
  name({});
  expect(await agent.find?.(unfinished)).toMatchObject({ state: "died", isLeft: true });
  await agent.end?.(unfinished);
  await until(() => isAlive(child) === false);
});

test("turns leave no descriptor and no folder behind", async () => {
  const short = createScriptedAgent({ turns: [{ role: "coder", text: "done" }] });
  const tmp = aDirectory();
  vi.stubEnv("TMPDIR", tmp);
  onTestFinished(() => void vi.unstubAllEnvs());
  const count = () => fs.readdirSync("/dev/fd").length;
  await short.invoke(aRequest());
  const before = count();
  for (let at = 0; at < 3; at += 1) await short.invoke(aRequest());
  await until(() => count() <= before);
  expect(fs.readdirSync(tmp).filter((name) => name.startsWith("quasar-turn-"))).toEqual([]);
});

test("files are for their owner alone", async () => {
  const request = aTurn();
  await agent.invoke(request);
  const modes = ["", "1.out", "1.start", "1.exit"].map(
    (name) => fs.statSync(join(request.turnsDir ?? "", name)).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
});

test("200 MB of output in lines of 1 MB cost neither the runner nor the supervisor over 120 MB, and are a success", async () => {
  const dir = aDirectory();
  const command = `${process.execPath} ${MISBEHAVE} long 200; echo; echo the end`;
  const runner = spawn(process.execPath, [FLOODED, command, dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed: string[] = [];
  runner.stdout.on("data", (chunk) => printed.push(String(chunk)));
  let peakKb = 0;
  const look = setInterval(() => {
    const pid = Number(printed.join("").split("\n", 1)[0]);
    if (pid > 0) peakKb = Math.max(peakKb, memoryKb(pid));
  }, 20);
  onTestFinished(() => clearInterval(look));
  await once(runner, "close");
  const told = JSON.parse(printed.join("").split("\n")[1] ?? "") as Record<string, unknown>;
  expect(told).not.toHaveProperty("failure");
  expect(told["notices"]).toEqual([
    expect.stringMatching(
      /^command printed a lot: its stored output leaves out 1[45]\d MB between its beginning and its end\.$/u,
    ),
  ]);
  expect(told["length"]).toBeLessThan(2 * MB);
  expect(told["peakKb"]).toBeLessThan(120 * 1024);
  expect(peakKb).toBeGreaterThan(0);
  expect(peakKb).toBeLessThan(120 * 1024);
  const turns = join(dir, "turns");
  const stored = fs.readdirSync(turns).map((name) => fs.statSync(join(turns, name)).size);
  expect(stored.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(64 * MB);
});

test("a line over 8 MiB is cut there, and that is told whenever the turn is read", async () => {
  const request = aTurn();
  const command = "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo after";
  const agent = createCommandAgent({ command });
  const result = await agent.invoke(request);
  expect(result).not.toHaveProperty("failure");
  expect(result.text.endsWith("\nafter")).toBe(true);
  expect(result.notices).toEqual(["command printed a line that is too long: it was cut."]);
  expect(fs.statSync(file(request, "out")).size).toBe(8 * MB + "\nafter\n".length);
  expect(await agent.adopt?.({ request, process: undefined })).toEqual(result);
});

test("a turn whose output is not kept whole costs what it costs undisturbed, however it is read", async () => {
  const lines = aSample("claude-2.1.330-background-agents.stream.jsonl");
  const noise = (megabytes: number): string => `${process.execPath} ${MISBEHAVE} long ${megabytes}`;
  const [first, most, last] = [lines.slice(0, 20), lines.slice(20, -1), lines.slice(-1)].map(
    (some) => `cat ${aFile(some)}`,
  );
  const takeTurn = async (script: string) => {
    const request = aTurn();
    const claude = createClaudeAgent({ file: aShellScript(script), env: {} });
    const unfinished = { request, process: undefined };
    const { notices, durationMs, ...live } = await claude.invoke(request);
    const read = await claude.adopt?.(unfinished);
    fs.rmSync(file(request, "exit"));
    const died = await claude.find?.(unfinished);
    return {
      live,
      read: { ...read, notices: undefined, durationMs: 0 },
      died,
      notices,
      durationMs,
    };
  };
  const plain = await takeTurn(`${first}; ${most}; ${last}`);
  const noisy = await takeTurn(
    `${first}; ${noise(30)}; ${most}; ${noise(60)}; ${last}; ${noise(1)}`,
  );
  expect(noisy.notices).toHaveLength(1);
  expect(noisy.live).toMatchObject({ costUsd: expect.closeTo(0.03615, 9), costSource: "reported" });
  expect(noisy.live).toEqual(plain.live);
  expect(noisy.read).toEqual(plain.read);
  expect(noisy.died).toEqual(plain.died);
});

test("a turn of another agent is not taken for one's own", async () => {
  const request = aTurn();
  await agent.invoke(request);
  const unfinished = { request, process: undefined };
  const other = createCommandAgent({ command: "true" });
  expect(await agent.find?.(unfinished)).toMatchObject({ state: "ended" });
  expect(await other.find?.(unfinished)).toEqual({ state: "unknown" });
});

test("a process that the system does not give is a failure which has cost nothing", async () => {
  const script = 'ulimit -n 100 && exec "$@"';
  const args = [process.execPath, FEW_FILES, JSON.stringify(aTurn())];
  const runner = spawn("sh", ["-c", script, "sh", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks: unknown[] = [];
  runner.stdout.on("data", (chunk) => chunks.push(chunk));
  const [exitCode] = (await once(runner, "close")) as [number | null];
  expect(exitCode).toBe(0);
  const done = { failure: "", costUsd: 0.5 };
  const results = chunks
    .join("")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  const failed = { failure: expect.stringContaining("EMFILE"), costUsd: 0 };
  expect(results).toEqual([done, failed, done]);
});
