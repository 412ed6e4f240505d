import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Phase, laneHolder, laneTurn, waitedForFirst } from "../src/state/schedule.ts";
import { type PhaseState, pendingPhase } from "../src/state/state.ts";
import { aSpec } from "./a-nebula.ts";
import type { Told } from "../src/events.ts";
import { aPlace, MANIFEST, phase, type Place, type Work, write } from "./place.ts";

const filesOf = (ids: string, keys = ""): Readonly<Record<string, string>> => ({
  "nebula.toml": `${MANIFEST}[execution]\nmax_workers = 3\n${keys}`,
  ...Object.fromEntries(Array.from(ids, (id) => [`${id}.md`, phase(id)])),
});

/** Adds a name to the one line of a lockfile; both sides of a conflict stay in it. */
function addTo(tree: string, name: string, file = "lock"): void {
  const names = readFileSync(join(tree, file), "utf8").match(/\b[a-z]\b/gu) ?? [];
  write(tree, { [file]: `${[...new Set([...names, name])].toSorted().join(" ")}\n` });
}

/** Waits until something has been reported of a phase so many times. */
async function until(
  { told }: Place,
  type: Told["type"],
  id: string,
  times: number,
): Promise<void> {
  const isIt = (event: Told): boolean =>
    event.type === type && "phase" in event && event.phase === id;
  while (told.filter(isIt).length < times) await sleep(20);
}

test("phases that all change one lockfile all land, each once, after two reworks at most", async () => {
  const ids = "abcdef";
  const place = aPlace({ lock: "\n" }, filesOf(ids));
  const work: Work = Object.fromEntries(
    Array.from(ids, (id) => [`Phase ${id}`, (tree: string) => addTo(tree, id)]),
  );
  const { reason, state } = await place.apply(work, {
    limits: { maxWorkers: 3, totalUsd: 0, phaseUsd: 5 },
  });
  expect(reason, state.phases.map((each) => each.reason).join("; ")).toBe("done");
  expect(place.git("show", "nebula/demo:lock")).toBe(Array.from(ids).join(" "));
  expect(place.landings().toSorted()).toEqual(Array.from(ids, (id) => `Land ${id}: Phase ${id}`));
  expect(state.phases.every(({ reworks }) => reworks.length <= 2)).toBe(true);
});

test("nothing lands before a phase that is reworked for the second time", async () => {
  const place = aPlace({ lock: "\n" }, filesOf("abcd"));
  let attempt = 0;
  const work: Work = {
    "Phase a": (tree) => addTo(tree, "a"),
    "Phase b": async (tree) => {
      addTo(tree, "b");
      await place.after("rework", "d");
    },
    "Phase c": async (tree) => {
      addTo(tree, "c");
      await place.after("phase_landed", "b");
    },
    "Phase d": async (tree) => {
      addTo(tree, "d");
      attempt += 1;
      if (attempt === 1) await place.after("phase_landed", "a");
      if (attempt === 2) await place.after("phase_landed", "b");
      // One that is approved meanwhile waits.
      if (attempt === 3) await place.after("phase_approved", "c");
    },
  };
  const { reason } = await place.apply(work, {
    limits: { maxWorkers: 4, totalUsd: 0, phaseUsd: 5 },
  });
  expect(reason).toBe("done");
  expect(place.landings()).toEqual(Array.from("abdc", (id) => `Land ${id}: Phase ${id}`));
});

test("where nobody works any more, what was reworked twice still lands before what was approved first", async () => {
  const place = aPlace({ lock: "\n", other: "\n" }, filesOf("abcd"));
  const attempts = { b: 0, d: 0 };
  const work: Work = {
    "Phase a": (tree) => addTo(tree, "a"),
    "Phase b": async (tree) => {
      addTo(tree, "b");
      attempts.b += 1;
      if (attempts.b === 1) await place.after("phase_landed", "a");
      if (attempts.b === 2) await until(place, "rework", "d", 2);
    },
    "Phase c": async (tree) => {
      addTo(tree, "c", "other");
      await place.after("rework", "d");
    },
    "Phase d": async (tree) => {
      addTo(tree, "d");
      addTo(tree, "d", "other");
      attempts.d += 1;
      if (attempts.d === 1) await place.after("rework", "b");
      if (attempts.d === 2) await place.after("phase_landed", "c");
      if (attempts.d === 3) await until(place, "phase_approved", "b", 2);
    },
  };
  const { reason, state } = await place.apply(work, {
    limits: { maxWorkers: 4, totalUsd: 0, phaseUsd: 5 },
  });
  expect(reason, state.phases.map((each) => each.reason).join("; ")).toBe("done");
  expect(place.landings()).toEqual(Array.from("acdb", (id) => `Land ${id}: Phase ${id}`));
});

const MINUTE = 60_000;
const IDS = ["a", "b", "c"];

/** Phases of these states, whose numbers are those of their places. */
function phasesAs(...changes: Partial<PhaseState>[]): readonly Phase[] {
  const specs = aSpec(Object.fromEntries(IDS.map((id) => [id, []]))).phases;
  return changes.map((change, at) => {
    const spec = specs[at];
    if (spec === undefined) throw new Error(`there are ${IDS.length} phases`);
    const state = pendingPhase(spec.id, `p${at}`, new Date(0));
    return { spec, state: { ...state, seq: at + 1, ...change } };
  });
}

const SINCE = new Date(0).toISOString();
const HOLDS = { now: MINUTE, holdMs: 2 * MINUTE, isAnyWorkedOn: true };
const holderOf = (phases: readonly Phase[], when = HOLDS): string | undefined =>
  laneHolder(phases, when)?.spec.id;

test.for(["pending", "running", "queued", "landing"] as const)(
  "a phase that is reworked again holds the lane while it is %s",
  (status) => {
    expect(holderOf(phasesAs({ status: "queued" }, { status, holdsSince: SINCE }))).toBe("b");
  },
);

test.for(["done", "failed", "skipped", "awaiting_human"] as const)(
  "a phase that is %s holds nothing",
  (status) => {
    expect(holderOf(phasesAs({ status: "queued" }, { status, holdsSince: SINCE }))).toBeUndefined();
  },
);

test("a phase holds the lane for a while only, and the first of several does", () => {
  const phases = phasesAs({}, { holdsSince: SINCE }, { holdsSince: SINCE });
  expect(holderOf(phases)).toBe("b");
  expect(holderOf(phases, { ...HOLDS, now: 2 * MINUTE })).toBeUndefined();
  expect(holderOf(phases, { ...HOLDS, holdMs: 0 })).toBeUndefined();
  const [a, b, c] = phases;
  const queued = b && { ...b, state: { ...b.state, status: "queued" as const } };
  const idle = { ...HOLDS, isAnyWorkedOn: false };
  expect(
    holderOf(
      [a, queued, c].filter((each) => each !== undefined),
      idle,
    ),
  ).toBe("b");
  expect(holderOf(phases, idle)).toBeUndefined();
});

test("the lane waits for its holder, takes it before the others, and first ends what it has begun", () => {
  const [a, b, c] = phasesAs({ status: "queued" }, { status: "running" }, { status: "queued" });
  if (a === undefined || b === undefined || c === undefined) throw new Error("too few");
  expect(laneTurn([a, b, c], "ready", b)).toMatchObject({ kind: "wait" });
  expect(laneTurn([a, b, c], "ready", c)).toMatchObject({ kind: "land", phase: c });
  const [landing] = phasesAs({ status: "landing" });
  if (landing === undefined) throw new Error("too few");
  expect(laneTurn([landing, b, c], "ready", b)).toMatchObject({ kind: "land", phase: landing });
  expect(laneTurn([a, b, c], "plan", c)).toMatchObject({ kind: "land", phase: a });
});

test("the phase that others wait for is worked on first", () => {
  const phases = phasesAs({}, {}, { holdsSince: SINCE });
  expect(waitedForFirst(phases).map(({ spec }) => spec.id)).toEqual(["c", "a", "b"]);
});
