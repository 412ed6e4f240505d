import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentInvoker } from "@quasar/agents";
import { expect, test, vi } from "vitest";
import type { PhaseRunOptions } from "../src/context/context.ts";
import type { Told } from "../src/events.ts";
import { answerPhase } from "../src/people/answer.ts";
import { continueNebula, pauseNebula } from "../src/people/pause.ts";
import { stopEngine } from "../src/people/stop.ts";
import { loadNebula } from "../src/spec/index.ts";
import {
  agentsOf,
  aPlace,
  phase,
  type Place,
  write,
  newest,
  WRITES_BOTH,
  IN_ORDER,
  commonDir,
} from "./place.ts";

const stop = (place: Place, isNow = false) =>
  stopEngine(commonDir(place), newest(place), { isNow });

/** Agents that do this before each turn. */
function agentsAfter(
  before: (role: string, signal: AbortSignal | undefined) => Promise<void>,
): (spec: { readonly title: string }) => PhaseRunOptions {
  const slow = (agent: AgentInvoker): AgentInvoker => ({
    ...agent,
    invoke: async (request, options) => {
      await before(agent.name, options?.signal);
      return agent.invoke(request, options);
    },
  });
  return (spec) => {
    const { coder, reviewer } = agentsOf(WRITES_BOTH)(spec);
    return { coder: slow(coder), reviewer: slow(reviewer) };
  };
}

const isRunEvent = (told: Told, type: string): boolean =>
  told.type === "run_event" && told.event.type === type;

const types = ({ told }: Place) => told.map(({ type }) => type);

test("a stopping engine lets the turn in flight end, begins no other, and is resumed", async () => {
  const place = aPlace({}, IN_ORDER);
  const turns: string[] = [];
  const optionsOf = agentsAfter(async (role) => {
    turns.push(role);
    if (turns.length > 1) return;
    expect(stop(place)).toBe("left");
    await sleep(1500);
  });
  const stopped = await place.apply(WRITES_BOTH, { optionsOf });
  expect(stopped.reason).toBe("interrupted");
  expect(turns).toEqual(["coder"]);
  expect(types(place)).toContain("engine_stops");
  expect(stop(place)).toBe("idle");
  const end = await place.apply(WRITES_BOTH, { optionsOf });
  expect(end.reason).toBe("done");
  expect(turns).toEqual(["coder", "reviewer", "coder", "reviewer"]);
});

test("an engine that has to stop now cuts the turn in flight off", async () => {
  const place = aPlace({}, IN_ORDER);
  const optionsOf = agentsAfter(async (_role, signal) => {
    expect(stop(place, true)).toBe("left");
    await sleep(60_000, undefined, { signal }).catch(() => {});
  });
  const begun = performance.now();
  expect((await place.apply(WRITES_BOTH, { optionsOf })).reason).toBe("interrupted");
  expect(performance.now() - begun).toBeLessThan(30_000);
  expect(place.landings()).toEqual([]);
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
});

test("a note for an engine that has died stops no other one", async () => {
  const place = aPlace({}, IN_ORDER);
  const optionsOf = agentsAfter(() => Promise.reject(new Error("no agent is asked")));
  writeFileSync(join(place.dir, "STOP"), "");
  expect((await place.apply(WRITES_BOTH, { optionsOf })).reason).toBe("interrupted");
  const note = join(place.repo, ".git/quasar/nebulae", newest(place).id, "stop.json");
  writeFileSync(note, JSON.stringify({ pid: process.pid, startTime: 1, isNow: true }));
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  expect(existsSync(note)).toBe(false);
});

test("STOP in the folder has nothing begin, and is removed unless git tracks it", async () => {
  const place = aPlace({}, IN_ORDER);
  const file = join(place.dir, "STOP");
  writeFileSync(file, "");
  expect((await place.apply(WRITES_BOTH)).reason).toBe("interrupted");
  expect(existsSync(file)).toBe(false);
  expect(types(place)).not.toContain("phase_begun");
});

test("STOP that git tracks stays, and is taken by each engine", async () => {
  const place = aPlace({ "n/STOP": "" }, IN_ORDER);
  const dir = join(place.repo, "n");
  write(dir, IN_ORDER);
  const change = { loaded: loadNebula(dir), resumed: undefined };
  expect((await place.apply(WRITES_BOTH, change)).reason).toBe("interrupted");
  expect(existsSync(join(dir, "STOP"))).toBe(true);
  expect(place.told).toContainEqual(
    expect.objectContaining({ message: `${dir}/STOP is tracked by git, and stays` }),
  );
});

test("no phase begins while PAUSE is in the folder, which is reported once", async () => {
  const place = aPlace({}, IN_ORDER);
  const file = join(place.dir, "PAUSE");
  writeFileSync(file, "");
  const working = place.apply(WRITES_BOTH);
  await sleep(2500);
  expect(place.told.filter(({ type }) => type !== "nebula_begun")).toEqual([
    { type: "engine_pauses", reason: `until rm ${file}` },
  ]);
  rmSync(file);
  expect((await working).reason).toBe("done");
  expect(types(place)).toContain("engine_continues");
});

test("a pause begins no turn after the one in flight, and is no end of the engine", async () => {
  const place = aPlace({}, IN_ORDER);
  const turns: string[] = [];
  const optionsOf = agentsAfter(async (role) => {
    turns.push(role);
    if (turns.length > 1) return;
    expect(pauseNebula(commonDir(place), newest(place), new Date())).toBe(true);
    expect(pauseNebula(commonDir(place), newest(place), new Date())).toBe(false);
    await vi.waitFor(() => expect(types(place)).toContain("engine_pauses"), 20_000);
  });
  const working = place.apply(WRITES_BOTH, { optionsOf });
  const saved = () => place.told.some((each) => isRunEvent(each, "committed"));
  await vi.waitFor(() => expect(saved()).toBe(true), 20_000);
  await sleep(2500);
  expect(turns).toEqual(["coder"]);
  const { id } = newest(place);
  expect(place.told).toContainEqual({
    type: "engine_pauses",
    reason: `until quasar nebula continue ${id}`,
  });
  expect(continueNebula(commonDir(place), newest(place))).toBe(true);
  expect((await working).reason).toBe("done");
  expect(turns).toEqual(["coder", "reviewer", "coder", "reviewer"]);
});

test("a pause outlives its engine and the nebula's folder, and what is approved lands in it", async () => {
  const gated = { ...IN_ORDER, "a.md": phase("a", 'gate = "review"') };
  const place = aPlace({}, gated);
  expect((await place.apply(WRITES_BOTH)).reason).toBe("waiting");
  answerPhase(commonDir(place), newest(place), { verb: "approve", phase: "a" });
  pauseNebula(commonDir(place), newest(place), new Date());
  rmSync(place.dir, { recursive: true });
  const again = { loaded: undefined, resumed: newest(place) };
  const working = place.apply(WRITES_BOTH, again);
  await vi.waitFor(() => expect(types(place)).toContain("phase_landed"), 20_000);
  await sleep(1500);
  expect(newest(place).phases.map(({ status }) => status)).toEqual(["done", "pending"]);
  expect(stop(place)).toBe("left");
  expect((await working).reason).toBe("interrupted");
  // Nothing but landings is asked of it: it has nothing to wait for.
  expect((await place.apply(WRITES_BOTH, { ...again, landingsOnly: {} })).reason).toBe("landed");
  expect(continueNebula(commonDir(place), newest(place))).toBe(true);
  expect(continueNebula(commonDir(place), newest(place))).toBe(false);
  expect((await place.apply(WRITES_BOTH, again)).reason).toBe("done");
});

test("RETRY in the folder has the phase that it names begin again", async () => {
  const place = aPlace({}, IN_ORDER);
  const failing = agentsAfter(() => Promise.reject(new Error("broken")));
  expect((await place.apply(WRITES_BOTH, { optionsOf: failing })).reason).toBe("failed");
  const file = join(place.dir, "RETRY");
  writeFileSync(file, "a\n");
  const resumed = newest(place);
  expect((await place.apply(WRITES_BOTH, { resumed })).reason).toBe("done");
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, "nobody");
  await place.apply(WRITES_BOTH, { resumed: newest(place) });
  expect(place.told.at(-1)).toMatchObject({ message: 'RETRY: there is no phase "nobody"' });
});

test("RETRY does not overrule what was decided after it", async () => {
  const place = aPlace({}, IN_ORDER);
  const failing = agentsAfter(() => Promise.reject(new Error("broken")));
  await place.apply(WRITES_BOTH, { optionsOf: failing });
  const file = join(place.dir, "RETRY");
  writeFileSync(file, "a\n");
  answerPhase(commonDir(place), newest(place), { verb: "skip", phase: "a" });
  await place.apply(WRITES_BOTH, { resumed: newest(place) });
  expect([existsSync(file), newest(place).phases[0]?.status]).toEqual([false, "skipped"]);
  expect(place.told).toContainEqual(
    expect.objectContaining({ message: "RETRY is older than skip, which counts" }),
  );
});

test("RETRY is removed once the phase is begun again on disk, and not before", async () => {
  const place = aPlace({}, IN_ORDER);
  const failing = agentsAfter(() => Promise.reject(new Error("broken")));
  await place.apply(WRITES_BOTH, { optionsOf: failing });
  const file = join(place.dir, "RETRY");
  writeFileSync(file, "a\n");
  const stop = new AbortController();
  const onEvent = ({ type }: Told): void => {
    if (type !== "decision") return;
    expect([existsSync(file), newest(place).phases[0]?.status]).toEqual([true, "pending"]);
    stop.abort();
  };
  await place.apply(WRITES_BOTH, { resumed: newest(place), onEvent, signal: stop.signal });
  expect([existsSync(file), newest(place).phases[0]?.attempt]).toEqual([false, 2]);
});
