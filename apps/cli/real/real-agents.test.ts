import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CheckpointOptions, type LoopOptions, runFromCheckpoint, runTask } from "@quasar/loop";
import { afterEach, expect, test } from "vitest";
// @boundaries-ignore the stub of the model server is the tests\' own
import {
  type ModelFault,
  type ModelScript,
  type ModelStub,
  startModelStub,
} from "../../../packages/agents/real/model-stub.ts";
// @boundaries-ignore the stub of the model server is the tests\' own
import type { ModelRequest } from "../../../packages/agents/real/model-request.ts";
import { findRunProcesses } from "@quasar/agents/turns";
// @boundaries-ignore the stub of the model server is the tests\' own
import { createPlace, type Place } from "../../../packages/agents/real/place.ts";
import { createTestStore } from "./test-store.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close();
  }
});

async function aPlace(script: (place: () => Place) => ModelScript) {
  let place: Place | undefined;
  const here = () => {
    if (!place) {
      throw new Error("the place is not there yet");
    }
    return place;
  };
  const stub = await startModelStub(script(here));
  place = createPlace(stub.url);
  const { remove } = place;
  closing.push(() => stub.close(), remove);
  return { place, stub };
}

const isReviewer = ({ system, prompt }: ModelRequest) =>
  `${system}${prompt}`.includes("You are the reviewer of");

const FINDING = { severity: "major", description: "greet() has no test" };
const REPORT = { satisfaction: "high", risk: "low", needs_human_review: false, summary: "Fine." };

const review = (findings: readonly object[]) => ({
  verdict: findings.length > 0 ? "changes_requested" : "approved",
  findings,
  verifications: [],
  report: REPORT,
});

/** A coder that writes greet.js and, when asked, its test; a reviewer that asks for the test. */
const twoCycles =
  (place: () => Place): ModelScript =>
  (request) => {
    const path = (name: string) => join(place().workTree, name);
    if (isReviewer(request)) {
      const hasTest = existsSync(path("greet.test.js"));
      return request.step === 0
        ? { shell: "git show --stat HEAD" }
        : { json: review(hasTest ? [] : [FINDING]) };
    }
    if (request.step > 0) {
      return { text: "Done." };
    }
    return request.prompt.includes(FINDING.description)
      ? { write: { path: path("greet.test.js"), content: 'import "./greet.js";\n' } }
      : { write: { path: path("greet.js"), content: 'export const greet = () => "hi";\n' } };
  };

const CODER_TURN = {
  runId: "run-1",
  turnId: "run-1.1",
  role: "coder",
  prompt: "Write greet().",
  systemPrompt: "You are the coder.",
  access: "write",
  maxCostUsd: 1,
} as const;

const TASK = { id: "t-1", title: "Write greet()" };

test.for(["claude", "codex"] as const)("%s writes a file in a turn", async (name) => {
  const { place } = await aPlace(twoCycles);
  const result = await place.agents[name].invoke({
    runId: "run-1",
    turnId: "run-1.1",
    role: "coder",
    prompt: "Write greet().",
    systemPrompt: "You are the coder.",
    workTree: place.workTree,
    access: "write",
    maxCostUsd: 1,
  });
  expect(result).toMatchObject({ text: "Done." });
  expect(result.failure).toBeUndefined();
  expect(result.costUsd).toBeGreaterThan(0);
  expect(readFileSync(join(place.workTree, "greet.js"), "utf8")).toContain("hi");
});

test.for([
  ["claude", "claude"],
  ["codex", "codex"],
  ["claude", "codex"],
] as const)("%s codes and %s reviews until it is approved", async ([coder, reviewer]) => {
  const { place } = await aPlace(twoCycles);
  const result = await runTask(TASK, {
    workTree: place.workTree,
    coder: place.agents[coder],
    reviewer: place.agents[reviewer],
  });
  expect(result).toMatchObject({ outcome: "approved", cycle: 2 });
  expect(result.allFindings).toMatchObject([FINDING]);
  expect(result.totalCostUsd).toBeGreaterThan(0);
  expect(place.git("log", "--reverse", "--format=%s")).toBe(
    "Begin\nt-1/cycle-1: Write greet()\nt-1/cycle-2: Write greet()",
  );
  expect(place.git("ls-files")).toBe("README.md\ngreet.js\ngreet.test.js");
  expect(place.git("status", "--porcelain")).toBe("");
});

/** Lets the first review of a run go wrong. */
const failingReview =
  (fault: ModelFault) =>
  (place: () => Place): ModelScript =>
  (request) =>
    isReviewer(request) ? fault : twoCycles(place)(request);

const status = (code: number, type: string, message: string): ModelFault => ({
  kind: "status",
  status: code,
  type,
  message,
});

/** A loop in which one agent codes and reviews, saved around each turn. */
function loopWith(
  { workTree, agents }: Place,
  store: CheckpointOptions["store"],
  name: "claude" | "codex",
): LoopOptions {
  const checkpoint = { store, granularity: "turn" } as const;
  return { workTree, coder: agents[name], reviewer: agents[name], checkpoint };
}

/** Resumes a stopped run with a model that works, and counts what the coder is asked again. */
async function resume(
  place: Place,
  stub: ModelStub,
  store: CheckpointOptions["store"],
  name: "claude" | "codex",
) {
  const asked = stub.requests.length;
  stub.script = twoCycles(() => place);
  const loaded = await store.load();
  if (!loaded) {
    throw new Error("nothing was stored");
  }
  const result = await runFromCheckpoint(loaded.checkpoint, loopWith(place, store, name));
  const again = stub.requests
    .slice(asked)
    .filter((request) => !isReviewer(request) && !request.prompt.includes(FINDING.description));
  return { result, again };
}

test.for(["claude", "codex"] as const)(
  "%s is cancelled in the middle of a command, and leaves no process behind",
  async (name) => {
    const { place } = await aPlace(() => () => ({ shell: "sleep 300", text: "Waiting." }));
    const controller = new AbortController();
    const runId = `cancelled-${name}`;
    const ids = { runId, turnId: `${runId}.1` };
    const request = { ...CODER_TURN, ...ids, workTree: place.workTree };
    const result = await place.agents[name].invoke(request, {
      signal: controller.signal,
      onEvent: ({ type }) => type === "tool" && setTimeout(() => controller.abort(), 1000),
    });
    expect(result.failure?.kind).toBe("cancelled");
    expect(result.costUsd).toBeGreaterThan(0);
    // Its end is on record a moment before its supervisor is gone.
    await expect.poll(() => findRunProcesses(request.runId)).toEqual([]);
  },
);

const WRITING_COMMANDS = [
  "touch evil",
  "git show HEAD > evil",
  "git diff HEAD; touch evil",
  "git diff --output=evil HEAD",
  "git log --output evil",
  "git -c alias.x='!touch evil' x",
];

test.for(["claude", "codex"] as const)(
  "%s writes nothing as a reviewer, whatever it tries",
  async (name) => {
    const { place } = await aPlace((here) => ({ step }) => {
      const shell = WRITING_COMMANDS[step];
      if (shell !== undefined) {
        return { shell };
      }
      const path = join(here().workTree, "evil");
      return step === WRITING_COMMANDS.length
        ? { write: { path, content: "x" } }
        : { text: "Done." };
    });
    const request = { ...CODER_TURN, role: "reviewer", access: "read" } as const;
    const result = await place.agents[name].invoke({ ...request, workTree: place.workTree });
    expect(result).toMatchObject({ text: "Done." });
    expect(place.git("status", "--porcelain")).toBe("");
  },
);

/** Each with what it is to Claude Code, and to Codex, which passes over events that are no JSON. */
const FAULTS = [
  ["a rate limit", status(429, "rate_limit_error", "slow down"), "rate-limit", "rate-limit"],
  ["an overload", status(529, "overloaded_error", "Overloaded"), "overloaded", "overloaded"],
  ["an outage", status(503, "api_error", "Service unavailable"), "overloaded", "overloaded"],
  ["a refused key", status(401, "authentication_error", "invalid x-api-key"), "auth", "auth"],
  ["a dropped stream", { kind: "drop", after: 3 }, "network", "network"],
  ["garbage in the stream", { kind: "garbage" }, "bad-output", "schema"],
] as const;

test.for(
  (["claude", "codex"] as const).flatMap((name) =>
    FAULTS.map(
      ([what, fault, claude, codex]) => [name, what, fault, { claude, codex }[name]] as const,
    ),
  ),
)("%s: %s stops the run, which resumes to its end", async ([name, , fault, kind]) => {
  const { place, stub } = await aPlace(failingReview(fault));
  const store = createTestStore();
  const failed = await runTask(TASK, loopWith(place, store, name));
  expect(failed).toMatchObject({ outcome: "agent", agentFailure: { kind } });
  const { result, again } = await resume(place, stub, store, name);
  expect(result).toMatchObject({ outcome: "approved", cycle: 2 });
  expect(again).toEqual([]);
  expect(await store.load()).toBeUndefined();
});

test.for([
  ["claude", "exits with 3 and says nothing", "exit 3", "unknown", "exited with 3"],
  ["codex", "exits with 3 and says nothing", "exit 3", "unknown", "exited with 3"],
  ["claude", "prints garbage", "head -c 100000 /dev/urandom", "bad-output", "without a result"],
  ["codex", "prints garbage", "head -c 100000 /dev/urandom", "bad-output", "without saying"],
] as const)(
  "%s that %s stops the run, which resumes to its end",
  async ([name, , script, kind, message]) => {
    const { place, stub } = await aPlace(twoCycles);
    const store = createTestStore();
    const fix = place.breakProgram(name, script);
    const failed = await runTask(TASK, loopWith(place, store, name));
    expect(failed).toMatchObject({ outcome: "agent", agentFailure: { kind } });
    expect(failed.message).toContain(message);
    fix();
    const { result } = await resume(place, stub, store, name);
    expect(result).toMatchObject({ outcome: "approved", cycle: 2 });
  },
);
