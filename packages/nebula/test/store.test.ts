import type { DurableOptions, FileSystem } from "@quasar/durable";
import {
  createDisk,
  exploreCrashes,
  type SimulatedProcess,
  withoutSync,
} from "@quasar/durable/testing";
import { byLane } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { boundFindings, boundText } from "../src/state/bounds.ts";
import { decodeSaved, encodeState, type SavedState } from "../src/state/codec.ts";
import { eventsIn } from "../src/state/events.ts";
import { nebulaHome } from "../src/state/home.ts";
import { eventText, missingEvents, NO_EVENTS } from "../src/state/recent-events.ts";
import { type NebulaState, NO_PUSH, type PhaseState, pendingPhase } from "../src/state/state.ts";
import { createState, loadSaved, openState, type StateStore } from "../src/state/store.ts";

const NOW = new Date(0);
const HOME = nebulaHome("/git", "abcdefghij");
const BEGUN: NebulaState = {
  ...{ id: "abcdefghij", name: "n", branch: "nebula/n", dir: "/n", base: "0".repeat(40) },
  ...{ revision: "0", createdAt: NOW.toISOString(), archivedFrom: "", archivedTip: "" },
  ...{ planVerdict: "", planReason: "", ...NO_PUSH },
  ...{ ownsBranch: true, acceptedFailures: [], typedTotalUsd: 12.5 },
  phases: [pendingPhase("a", "p1-0", NOW)],
};

/** The state of the nebula, which begins where it is not there. */
function begunState(options: DurableOptions): StateStore {
  if (loadSaved(HOME, options) === undefined) createState(HOME, BEGUN, options);
  return openState(HOME, () => NOW, options);
}

/** What was changed last, and which changes the journal tells, each once. */
function observe(fs: FileSystem): string | undefined {
  const saved = loadSaved(HOME, { fs });
  if (saved === undefined) return undefined;
  const told = eventsIn(HOME, { fs }).flatMap((event) =>
    event.type === "phase_failed" ? [event.reason] : [],
  );
  return valueOf(saved.state.phases[0]?.reason ?? "", told);
}

const valueOf = (last: string, told: readonly string[]): string => `${last}: ${told.join(" ")}`;

/** A process that changes the phase and makes notes, in any order. */
function work({ fs, random, choose, begin, acknowledge }: SimulatedProcess): void {
  begin(valueOf("", []));
  const store = begunState({ fs, random });
  const found = observe(fs);
  acknowledge(found);
  let [last = "", told = ""] = (found ?? "").split(": ");
  // More than after which the journal is synced.
  for (let count = 1 + choose(20); count > 0; count -= 1) {
    if (choose(3) === 0) {
      store.note({ type: "phase_unchanged", phase: "a" });
      continue;
    }
    last = String(Number(last) + 1);
    told = told === "" ? last : `${told} ${last}`;
    begin(`${last}: ${told}`);
    store.change("a", { reason: last }, { type: "phase_failed", phase: "a", reason: last });
    acknowledge(`${last}: ${told}`);
  }
  store.close();
}

const LIFE = { seed: 1, workload: work, resume: work, observe, statesPerPoint: 3 };

test("a crash anywhere leaves each change with its event in the journal, once and in order", {
  timeout: 600_000,
}, () => {
  const maxStates = byLane({ fast: 100, whole: 1000, long: 100_000 });
  const report = exploreCrashes({ ...LIFE, maxStates });
  expect(report.findings).toEqual([]);
  expect(report.states).toBeGreaterThanOrEqual(maxStates);
});

test("the explorer notices that the journal is not synced before the state keeps its events no more", () => {
  const report = exploreCrashes({
    ...LIFE,
    // The first life already has some.
    ...{ maxStates: 1, statesPerPoint: 1 },
    mutate: (fs) => withoutSync(fs, ({ path }) => path === HOME.journal),
  });
  expect(report.bad).toBeGreaterThan(0);
});

/** A disk on which calls of the journal's own file fail for as long as `isBroken`. */
function withBrokenJournal(fs: FileSystem, call: "write" | "fsync", code: string) {
  const fault = { isBroken: false };
  const journals = new Set<number>();
  const check = (fd: number): void => {
    if (fault.isBroken && journals.has(fd)) throw Object.assign(new Error(code), { code });
  };
  const broken: FileSystem = {
    ...fs,
    open(path, flags, mode) {
      const fd = fs.open(path, flags, mode);
      if (path === HOME.journal) journals.add(fd);
      else journals.delete(fd);
      return fd;
    },
    write(fd, bytes, offset, length) {
      if (call === "write") check(fd);
      return fs.write(fd, bytes, offset, length);
    },
    fsync(fd) {
      if (call === "fsync") check(fd);
      fs.fsync(fd);
    },
  };
  return { fault, fs: broken };
}

test.for(
  (["write", "fsync"] as const).flatMap((call) =>
    ["ENOSPC", "EIO"].flatMap((code) => [1, 20].map((failures) => ({ call, code, failures }))),
  ),
)(
  "a journal that fails loses no event, and works again with the disk: $call $code, $failures changes",
  ({ call, code, failures }) => {
    const disk = createDisk();
    const { fault, fs } = withBrokenJournal(disk.connect(), call, code);
    const store = begunState({ fs });
    const taken: string[] = [];
    let count = 0;
    const change = (): void => {
      const reason = String((count += 1));
      try {
        store.change("a", { reason }, { type: "phase_failed", phase: "a", reason });
      } finally {
        if (store.current.phases[0]?.reason === reason) taken.push(reason);
      }
    };
    const isKept = (): void =>
      expect(observe(disk.connect())).toBe(valueOf(taken.at(-1) ?? "", taken));
    // The next change is the one with which the journal is synced.
    for (let each = 0; each < 14; each += 1) change();
    store.note({ type: "phase_unchanged", phase: "a" });
    fault.isBroken = true;
    for (let each = 0; each < failures; each += 1) {
      expect(change).toThrow(expect.objectContaining({ code: "ERR_NOT_DURABLE" }));
      isKept();
    }
    fault.isBroken = false;
    for (let each = 0; each < 20; each += 1) change();
    isKept();
    expect(taken).toHaveLength(count);
    const notes = eventsIn(HOME, { fs: disk.connect() }).filter(
      ({ type }) => type === "phase_unchanged",
    );
    expect(notes).toHaveLength(1);
    store.close();
    openState(HOME, () => NOW, { fs: disk.connect() }).close();
    isKept();
  },
);

test("a state of an earlier quasar loads: it has no events of its own, and its branch", () => {
  const text = Buffer.from(encodeState({ state: BEGUN, recent: NO_EVENTS })).toString();
  const lacks = /^(?:owns_branch|events|events_from|merges|asks_person|verified) = .*\n/gmu;
  const earlier = text.replaceAll(lacks, "");
  expect(earlier.split("\n").length).toBe(text.split("\n").length - 6);
  expect(decodeSaved(Buffer.from(earlier))).toEqual({ state: BEGUN, recent: NO_EVENTS });
});

test("what a state of an earlier quasar has of a review that is left is known", () => {
  const [phase = pendingPhase("a", "p1-0", NOW)] = BEGUN.phases;
  const state = { ...BEGUN, phases: [{ ...phase, isCoderDone: true }] };
  const text = Buffer.from(encodeState({ state, recent: NO_EVENTS })).toString();
  const earlier = text.replace("is_coder_done = true", "is_review_left = true");
  expect(earlier).not.toBe(text);
  expect(decodeSaved(Buffer.from(earlier)).state).toEqual(state);
});

const withPhase = (change: Partial<PhaseState>): SavedState => ({
  state: { ...BEGUN, phases: [{ ...pendingPhase("a", "p1-0", NOW), ...change }] },
  recent: NO_EVENTS,
});
const LONG = "x".repeat(70_000);

test.for([
  ["a phase's reason", withPhase({ reason: LONG }), "phases.0.reason"],
  ["no commit's id", withPhase({ tip: "HEAD" }), "phases.0.tip"],
  ["a plan's reason", { state: { ...BEGUN, planReason: LONG }, recent: NO_EVENTS }, "plan_reason"],
  ["an event", { state: BEGUN, recent: { from: 1, events: [LONG] } }, "events.0"],
  ["a file", withPhase({ findings: Array.from({ length: 1200 }, () => LONG.slice(9000)) }), "MiB"],
] as const)("what could not be read again is not written: %s", ([, saved, named]) => {
  const message = expect.stringContaining(named) as string;
  const refused = expect.objectContaining({ code: "ERR_USAGE", message }) as Error;
  expect(() => encodeState(saved)).toThrow(refused);
});

test("a journal that a person has removed is not begun with what the state has", () => {
  expect(missingEvents({ from: 5, events: ["e", "f"] }, 4)).toEqual(["e", "f"]);
  expect(missingEvents({ from: 5, events: ["e", "f"] }, 5)).toEqual(["f"]);
  expect(missingEvents({ from: 5, events: ["e", "f"] }, 9)).toEqual([]);
  expect(missingEvents({ from: 5, events: ["e", "f"] }, 0)).toEqual([]);
});

test("an event that no journal takes is cut", () => {
  const findings = Array.from({ length: 100 }, () => "x".repeat(10_000));
  const text = eventText({ at: "", type: "rework", phase: "a", attempt: 2, findings });
  expect(text.length).toBeLessThan(48 * 1024);
  expect(JSON.parse(text)).toMatchObject({ type: "rework", phase: "a", attempt: 2 });
});

test("what is kept of findings and reasons is bounded, and the end of each is there", () => {
  const long = `${"x".repeat(50_000)} the end`;
  expect(boundText(long)).toMatch(/^x{2000}\n… 42008 characters are left out …\nx{5992} the end$/u);
  expect(boundText("short")).toBe("short");
  const many = boundFindings(Array.from({ length: 10_000 }, (_, at) => `finding ${at}`));
  expect(many).toHaveLength(101);
  expect(many.slice(-2)).toEqual(["finding 99", "and 9900 more"]);
  expect(boundFindings(["one"])).toEqual(["one"]);
});

test("a store that was closed saves nothing", () => {
  const fs = createDisk().connect();
  const store = begunState({ fs });
  store.close();
  expect(() => store.keep("a", { reservedUsd: 1 })).toThrow("closed");
  expect(() => store.note({ type: "phase_unchanged", phase: "a" })).toThrow("closed");
  expect(loadSaved(HOME, { fs })?.state).toEqual(BEGUN);
});
