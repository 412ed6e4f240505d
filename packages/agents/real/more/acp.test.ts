import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, AgentInvoker, AgentRequest } from "../../src/agent.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { endRunProcesses } from "../../src/entries/turns.ts";
import {
  type ModelFault,
  type ModelScript,
  type ModelStub,
  startModelStub,
} from "../model-stub.ts";
import {
  ACP_AGENTS,
  type AcpName,
  type AcpPlace,
  createAcpPlace,
  createRealAcpAgent,
} from "./acp-place.ts";
import { afterRunner, counted } from "./scene.ts";

interface Setting {
  readonly place: AcpPlace;
  readonly stub: ModelStub;
  readonly agentOf: (role: AgentRequest["role"]) => AgentInvoker;
  /** Path of a file in the work tree. */
  readonly at: (file: string) => string;
}

let runs = 0;

async function aSetting(
  name: AcpName,
  script: (setting: Setting) => ModelScript,
): Promise<Setting> {
  const stub = await startModelStub((request) => script(setting)(request));
  const place = createAcpPlace(stub.url);
  const setting: Setting = {
    place,
    stub,
    agentOf: (role) => createRealAcpAgent(name, role, place.root, stub.url),
    at: (file) => join(place.workTree, file),
  };
  onTestFinished(async () => {
    await stub.close();
    place.remove();
  });
  return setting;
}

/** An agent takes half a minute to start on a machine that is busy. */
const isThere = async (path: string): Promise<void> =>
  await expect.poll(() => existsSync(path), { timeout: 180_000 }).toBe(true);

/** A turn of a new run, in files of its own. */
function aTurn({ place }: Setting, change: Partial<AgentRequest> = {}): AgentRequest {
  const runId = `acp-${process.pid}-${++runs}`;
  return {
    runId,
    turnId: `${runId}.1`,
    role: "coder",
    prompt: "Write one.txt.",
    systemPrompt: "You are the coder.",
    workTree: place.workTree,
    access: "write",
    maxCostUsd: 1,
    turnsDir: join(place.root, "turns", runId),
    ...change,
  };
}

const REVIEW = {
  role: "reviewer",
  access: "read",
  prompt: "Review the work.",
  systemPrompt: "You are the reviewer.",
} as const;

/** A command that works until there is a file `go`. */
const WAIT = "node wait.mjs";
const WAITING = `import { existsSync, writeFileSync } from "node:fs";
writeFileSync("begun", "");
const timer = setInterval(() => existsSync("go") && clearInterval(timer), 50);
`;

/** What their provider answers in place of a response. */
const FAULTS = {
  "is not known": [401, "authentication_error", "invalid key"],
  "asks too much": [429, "rate_limit_error", "too many requests"],
} as const;

const status = (what: keyof typeof FAULTS): ModelFault => {
  const [code, type, message] = FAULTS[what];
  return { kind: "status", status: code, type, message, headers: { "retry-after": "1" } };
};

const chosen = process.env["REAL_AGENTS"]?.split(" ");
const names = (Object.keys(ACP_AGENTS) as AcpName[]).filter(
  (name) => chosen?.includes(name) !== false,
);

describe.for(names)("%s", { timeout: 600_000 }, (name) => {
  const { title } = ACP_AGENTS[name];

  test("a task of two turns is one session", async () => {
    const setting = await aSetting(name, ({ at }) => ({ prompt, step }) => {
      if (prompt.includes("Continue")) return { text: "Nothing is left." };
      return step === 0
        ? { text: "I write.", write: { path: at("one.txt"), content: "1\n" } }
        : { text: "One is written.", usage: { input: 1234, output: 56 } };
    });
    const events: AgentEvent[] = [];
    const agent = setting.agentOf("coder");
    const onEvent = (event: AgentEvent): void => void events.push(event);
    const first = await agent.invoke(aTurn(setting), { onEvent });
    expect(first).toMatchObject({ text: "One is written." });
    expect(first.failure).toBeUndefined();
    expect(readFileSync(setting.at("one.txt"), "utf8")).toBe("1\n");
    expect(events).toContainEqual({ type: "tool", name: "Edit", detail: "one.txt" });
    const session = { resumesSession: true, sessionId: first.sessionId };
    const second = await agent.invoke(aTurn(setting, { prompt: "Continue.", ...session }));
    expect(second).toMatchObject({ text: "Nothing is left.", sessionId: first.sessionId });
    expect(second.failure).toBeUndefined();
    const [last] = setting.stub.requests.slice(-1);
    expect(last?.prompts.join()).toMatch(/Write one\.txt\.[^]*Continue\./);
  });

  test("a reviewer that tries to write changes nothing, and continues", async () => {
    const setting = await aSetting(name, ({ at }) => ({ step, prompts }) => {
      const asked = step + prompts.length;
      if (asked === 1) return { write: { path: at("one.txt"), content: "1\n" } };
      return prompts.length === 1 && step === 1
        ? { shell: "echo 2 > two.txt" }
        : { text: "APPROVED" };
    });
    const result = await setting.agentOf("reviewer").invoke(aTurn(setting, REVIEW));
    expect(setting.place.git("status", "--short")).toBe("");
    expect(result).toMatchObject({ text: "APPROVED" });
    expect(result.failure).toBeUndefined();
    expect(result.denials?.map(({ what }) => what)).toContain("echo 2 > two.txt");
  });

  test.for([
    ["is not known", "auth"],
    ["asks too much", "rate-limit"],
  ] as const)("a turn whose provider says that it %s fails by it", async ([what, kind]) => {
    const setting = await aSetting(name, () => () => status(what));
    const { failure, text } = await setting.agentOf("coder").invoke(aTurn(setting));
    expect(failure).toMatchObject({ kind });
    expect(failure?.message).toContain(title);
    expect(text).toBe("");
  });

  test("a turn whose provider breaks off fails after a tool, too", async () => {
    const setting = await aSetting(
      name,
      ({ at }) =>
        ({ step }) =>
          step === 0
            ? { write: { path: at("one.txt"), content: "1\n" } }
            : { kind: "drop", after: 0 },
    );
    const { failure } = await setting.agentOf("coder").invoke(aTurn(setting));
    expect(failure).toMatchObject({ kind: "network" });
  });

  test("a refusal without a word is an empty answer", async () => {
    const setting = await aSetting(name, () => () => ({ refuses: true }));
    const { failure } = await setting.agentOf("reviewer").invoke(aTurn(setting, REVIEW));
    expect(failure).toMatchObject({ kind: "empty-answer" });
  });

  test("an unknown session is missing", async () => {
    const setting = await aSetting(name, () => () => ({ text: "Done." }));
    const sessionId = "11111111-2222-4333-8444-555555555555";
    const turn = aTurn(setting, { resumesSession: true, sessionId });
    const { failure, costUsd } = await setting.agentOf("coder").invoke(turn);
    expect(failure).toMatchObject({ kind: "session-missing" });
    expect(costUsd).toBe(0);
    expect(setting.stub.requests).toEqual([]);
  });

  test("one that outlives its runner in a tool is followed to its end, asked once", async () => {
    const setting = await aSetting(
      name,
      () =>
        ({ step }) =>
          step === 0 ? { shell: WAIT } : { text: "Done.", usage: { input: 1234, output: 56 } },
    );
    const { place, stub } = setting;
    writeFileSync(setting.at("wait.mjs"), WAITING);
    const request = aTurn(setting, { commands: [WAIT] });
    const begun = (): Promise<void> => isThere(setting.at("begun"));
    const at = { root: place.root, url: stub.url };
    const turn = await afterRunner(name, at, request, begun);
    const agent = setting.agentOf("coder");
    expect(await agent.find?.(turn)).toMatchObject({ state: "alive" });
    const followed = agent.adopt?.(turn);
    writeFileSync(setting.at("go"), "");
    const result = await followed;
    expect(result).toMatchObject({ text: "Done." });
    expect(await agent.adopt?.(turn)).toEqual(result);
    expect(stub.requests).toHaveLength(2);
  });

  test("one that is killed in a tool continues in its session", async () => {
    const { setting, turn, agent } = await aWaitingTurn(name);
    const killed = agent.invoke(turn, { onStart: async () => undefined });
    await isThere(setting.at("begun"));
    await endRunProcesses(turn.runId, { graceMs: 0 });
    const { failure, sessionId } = await killed;
    expect(failure).toMatchObject({ kind: "killed" });
    expect(sessionId).toBeTruthy();
    await continues(setting, agent, sessionId);
  });

  test("one that is cancelled in a tool ends, and its session continues", async () => {
    const { setting, turn, agent } = await aWaitingTurn(name);
    const cancel = new AbortController();
    const cancelled = agent.invoke(turn, { signal: cancel.signal });
    await isThere(setting.at("begun"));
    cancel.abort();
    const { failure, sessionId } = await cancelled;
    expect(failure).toMatchObject({ kind: "cancelled" });
    await continues(setting, agent, sessionId);
  });
});

describe.runIf(names.includes("gemini"))("the cost of gemini", { timeout: 600_000 }, () => {
  /** A response that writes a file, then another one; most of what they say is thought. */
  const THINKS: (setting: Setting) => ModelScript =
    ({ at }) =>
    ({ step }) =>
      step === 0
        ? {
            ...{ text: "I write.", write: { path: at("one.txt"), content: "1\n" } },
            usage: { input: 1000, output: 10, thoughts: 5000 },
          }
        : { text: "Done.", usage: { input: 2000, output: 20, thoughts: 700 } };

  test("is what was billed, thoughts included, in a session that continues too", async () => {
    const setting = await aSetting("gemini", THINKS);
    const agent = setting.agentOf("coder");
    const first = await agent.invoke(aTurn(setting));
    expect(first).toMatchObject({ text: "Done.", costSource: "computed" });
    expect(first.costUsd).toBeCloseTo(setting.stub.billedUsd, 9);
    const billed = setting.stub.billedUsd;
    const session = { resumesSession: true, sessionId: first.sessionId };
    const second = await agent.invoke(aTurn(setting, { prompt: "Continue.", ...session }));
    expect(second).toMatchObject({ text: "Done.", costSource: "computed" });
    expect(second.costUsd).toBeCloseTo(setting.stub.billedUsd - billed, 9);
  });

  test("is no less than was billed where it chooses the model itself", async () => {
    const setting = await aSetting("gemini", THINKS);
    const { place, stub } = setting;
    const agent = createRealAcpAgent("gemini", "coder", place.root, stub.url, "auto");
    const result = await agent.invoke(aTurn(setting));
    expect(result).toMatchObject({ text: "Done.", costSource: "partial" });
    expect(counted(result)).toBeGreaterThanOrEqual(stub.billedUsd);
    expect(stub.requests.map(({ model }) => model)).toEqual([
      "gemini-3.5-flash-lite",
      "gemini-2.5-pro",
      "gemini-2.5-pro",
    ]);
  });

  test("is no less than was billed where its provider refuses after a response", async () => {
    const setting = await aSetting("gemini", (of) => (request) => {
      return request.step === 0 ? THINKS(of)(request) : status("is not known");
    });
    const result = await setting.agentOf("coder").invoke(aTurn(setting));
    expect(result).toMatchObject({ failure: { kind: "auth" }, costSource: "partial" });
    expect(result.costUsd).toBeCloseTo(setting.stub.billedUsd, 9);
  });

  test("is no less than was billed where nothing comes of its answers", async () => {
    const setting = await aSetting("gemini", () => () => ({
      refuses: true,
      usage: { input: 1000, output: 10, thoughts: 5000 },
    }));
    const result = await setting.agentOf("reviewer").invoke(aTurn(setting, REVIEW));
    expect(result).toMatchObject({ failure: { kind: "empty-answer" } });
    expect(counted(result)).toBeGreaterThanOrEqual(setting.stub.billedUsd);
  });

  test("is no less than was billed where it is killed in a command", async () => {
    const setting = await aSetting("gemini", () => () => ({
      ...{ text: "I wait.", shell: WAIT },
      usage: { input: 1000, output: 10, thoughts: 5000 },
    }));
    writeFileSync(setting.at("wait.mjs"), WAITING);
    const turn = aTurn(setting, { commands: [WAIT] });
    const killed = setting.agentOf("coder").invoke(turn, { onStart: async () => undefined });
    await isThere(setting.at("begun"));
    await endRunProcesses(turn.runId, { graceMs: 0 });
    const result = await killed;
    expect(result).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
    expect(result.costUsd).toBeCloseTo(setting.stub.billedUsd, 9);
  });
});

/** A turn that has a command run which waits. */
async function aWaitingTurn(name: AcpName) {
  const setting = await aSetting(
    name,
    () =>
      ({ prompt }) =>
        prompt.includes("Continue")
          ? { text: "Done after all." }
          : { text: "I wait.", shell: WAIT },
  );
  writeFileSync(setting.at("wait.mjs"), WAITING);
  const turn = aTurn(setting, { commands: [WAIT] });
  return { setting, turn, agent: setting.agentOf("coder") };
}

/** A next turn is in the same session, with what was said in it. */
async function continues(
  setting: Setting,
  agent: AgentInvoker,
  sessionId: string | undefined,
): Promise<void> {
  const turn = aTurn(setting, { prompt: "Continue.", resumesSession: true, sessionId });
  expect(await agent.invoke(turn)).toMatchObject({ text: "Done after all.", sessionId });
  const [last] = setting.stub.requests.slice(-1);
  expect(last?.prompts.join()).toMatch(/Write one\.txt\.[^]*Continue\./);
}
