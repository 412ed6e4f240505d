import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ProcessIdentity } from "@quasar/process";
import type { AgentRequest } from "../src/agent.ts";
import { expect, onTestFinished, test } from "vitest";
import { startModelStub } from "./model-stub.ts";
import { createPlace, createRealAgents, type Place } from "./place.ts";

/** A place whose model has a file written, waits, and is done. */
async function aPlace(after: Promise<unknown> = Promise.resolve()) {
  const stub = await startModelStub(({ step }) =>
    step === 0
      ? { write: { path: join(place.workTree, "one.txt"), content: "1\n" } }
      : { text: "Done.", usage: { input: 1234, output: 56 }, after },
  );
  const place = createPlace(stub.url);
  onTestFinished(async () => {
    await stub.close();
    place.remove();
  });
  return { place, stub };
}

const aTurn = ({ root, workTree }: Place, name: string): AgentRequest => ({
  runId: `outlive-${process.pid}-${name}`,
  turnId: `outlive-${process.pid}-${name}.1`,
  role: "coder",
  prompt: "Write one.txt.",
  systemPrompt: "You are the coder.",
  workTree,
  access: "write",
  maxCostUsd: 1,
  turnsDir: join(root, "turns"),
});

/** Kills the runner of a turn when the model was asked twice, and lets the model answer later. */
async function afterItsRunner(name: string) {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const { place, stub } = await aPlace(promise);
  const request = aTurn(place, name);
  const args = [join(import.meta.dirname, "runner.ts"), name, place.root, stub.url];
  const runner = spawn(process.execPath, [...args, JSON.stringify(request)], { stdio: "pipe" });
  const [told] = (await once(runner.stdout, "data")) as [Buffer];
  await expect.poll(() => stub.requests.length).toBe(2);
  runner.kill("SIGKILL");
  await once(runner, "exit");
  const agent = JSON.parse(told.toString()) as ProcessIdentity;
  return { place, stub, answer, turn: { request: { ...request, prompt: "" }, process: agent } };
}

test.for(["claude", "codex"] as const)(
  "%s that outlives its runner is followed, and later read, to the end of an undisturbed turn",
  async (name) => {
    const undisturbed = await aPlace();
    const { place } = undisturbed;
    const expected = await place.agents[name].invoke(aTurn(place, name));
    expect(expected).toMatchObject({ text: "Done." });
    expect(expected.failure).toBeUndefined();
    expect(expected.costUsd).toBeCloseTo(undisturbed.stub.billedUsd, 9);

    const { turn, stub, answer, ...other } = await afterItsRunner(name);
    for (const state of ["alive", "ended"] as const) {
      const agent = createRealAgents(other.place.root, stub.url)[name];
      expect(await agent.find?.(turn)).toMatchObject({ state });
      answer();
      const { sessionId, durationMs } = expected;
      const result = await agent.adopt?.(turn);
      expect({ ...result, sessionId, durationMs }).toEqual(expected);
      expect(result?.sessionId).toBeTruthy();
    }
    expect(stub.requests).toHaveLength(2);
    expect(stub.billedUsd).toBeCloseTo(undisturbed.stub.billedUsd, 9);
  },
);
