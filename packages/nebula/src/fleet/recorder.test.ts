import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Entry, LANE, type Offer, PortError } from "../port/index.ts";
import { pendingPhase, type PhaseState } from "../state/state.ts";
import { Recorder } from "./recorder.ts";
import type { StateForServer } from "./take-over.ts";

const EPOCH = { n: 1, writer: "00000000" };
const HELD = { nebula: "aaaaaaaaaa", work: LANE, epoch: EPOCH };

function anOffer(work: string): Offer {
  return { work, runId: `run-${work}`, agents: [], labels: [], task: null };
}

let states = 0;

/** @param statuses - Of the phases, by their refs. */
function aState(statuses: Readonly<Record<string, PhaseState["status"]>>): StateForServer {
  states += 1;
  const phases = Object.entries(statuses).map(([ref, status]) => {
    return { ...pendingPhase(ref, ref, new Date(0)), status, runId: `run-${ref}` };
  });
  return { text: `state ${states}`, state: { phases } };
}

/** What a server gets: of each record the state, and the works that are offered. */
function aRecorder() {
  const told: { readonly state: string; readonly offered: readonly string[] }[] = [];
  let open = Promise.resolve();
  const recorder = new Recorder({
    port: {
      async record(_, entry: Entry) {
        await open;
        if (entry.as !== "state") throw new Error(`a ${entry.as}`);
        told.push({ state: entry.state, offered: entry.offers.map(({ work }) => work) });
        return { as: "recorded" };
      },
    },
    ...{ held: HELD, state: "state 0", offers: [anOffer("a"), anOffer("b")] },
    ...{ over: new AbortController().signal, onStale: () => {} },
  });
  return {
    ...{ recorder, told },
    /** Has no record end until it is called again. */
    slow(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      open = promise;
      return resolve;
    },
  };
}

test("an outcome is known until a state says what became of it", async () => {
  const { recorder, told } = aRecorder();
  recorder.answered("a");
  const ofAnother = aState({ a: "running", b: "running" });
  recorder.save(ofAnother);
  await recorder.recorded();
  expect(told).toEqual([{ state: ofAnother.text, offered: ["a", "b"] }]);
  const ofIt = aState({ a: "queued", b: "running" });
  recorder.save(ofIt);
  await recorder.recorded();
  expect(told.at(-1)).toEqual({ state: ofIt.text, offered: ["b"] });
});

test("a run that was left behind by another one is not offered any more", async () => {
  const { recorder, told } = aRecorder();
  const { text, state } = aState({ a: "running", b: "running" });
  const phases = state.phases.map((each) => (each.ref === "a" ? { ...each, runId: "x" } : each));
  recorder.save({ text, state: { phases } });
  await recorder.recorded();
  expect(told).toEqual([{ state: text, offered: ["b"] }]);
});

test.for([
  ["that was awaited meanwhile", ["awaiting_human", "running"]],
  ["that is worked on all the time", ["running"]],
] as const)(
  "an outcome that was taken is gone before its run is offered again, one %s",
  async ([, statuses]) => {
    const { recorder, told, slow } = aRecorder();
    const end = slow();
    recorder.save(aState({ a: "running", b: "running" }));
    // It is recorded, and takes a while.
    await setImmediate();
    recorder.answered("a");
    for (const status of statuses) recorder.save(aState({ a: status, b: "running" }));
    const offered = recorder.offer(anOffer("a"));
    end();
    await offered;
    expect(told.map((each) => each.offered)).toEqual([["a", "b"], ["b"], ["b", "a"]]);
  },
);

test("an outcome that nobody has taken is what comes of a run that is offered again", async () => {
  const { recorder, told } = aRecorder();
  recorder.save(aState({ a: "running", b: "running" }));
  await recorder.offer(anOffer("a"));
  expect(told.map((each) => each.offered)).toSatisfy((all: readonly (readonly string[])[]) =>
    all.every((works) => works.includes("a")),
  );
});

test.for([
  ["ERR_TOO_LARGE", "the state is too large", 0],
  ["ERR_CONFLICT", "another state was recorded", 1],
] as const)("a record that is refused as %s is thrown as it is", async ([code, message, stale]) => {
  const told: string[] = [];
  const recorder = new Recorder({
    port: {
      async record() {
        throw new PortError(code, message);
      },
    },
    ...{ held: HELD, state: "state 0", offers: [], over: new AbortController().signal },
    onStale: (why) => told.push(why),
  });
  recorder.save(aState({}));
  await expect(recorder.recorded()).rejects.toMatchObject({ code, message });
  expect(new Set(told).size).toBe(stale);
});
