import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { NebulaEvent } from "../events.ts";
import { livesOf } from "./lives.ts";
import { NO_STORY, continueStory } from "./story.ts";

const HOSTILE = "\u001b[2J<script>alert(1)</script>\r\n## forged\u2028| a |";
const [SHA, TREE] = ["a".repeat(40), "b".repeat(40)];
const phase = "a";

/** One of each kind, and more than one of those that count. */
const EVENTS: readonly NebulaEvent[] = [
  { type: "nebula_begun", id: "abcdefghij", base: SHA },
  { type: "plan_waits", isRejected: false, reason: "" },
  { type: "plan_decision", verb: "approve", reason: "" },
  { type: "base_verified", tip: SHA, outcome: "passed", findings: [] },
  { type: "phase_begun", phase, attempt: 1, runId: "r1" },
  {
    ...{ type: "question_asked", phase, id: "q-00000001", role: "coder", cycle: 1 },
    ...{ kind: "blocker", summary: HOSTILE, detail: "", options: ["yes", "no"] },
  },
  { type: "question_answered", phase, id: "q-00000001", text: "yes" },
  { type: "phase_approved", phase, attempt: 1, tip: SHA, isOutdated: true },
  { type: "candidate_made", phase, onto: SHA, candidate: SHA },
  { type: "verification", phase, tree: TREE, outcome: "failed" },
  { type: "rework", phase, attempt: 2, findings: [HOSTILE, "more"] },
  { type: "engine_pauses", reason: "until x" },
  { type: "engine_continues", reason: "the pause has ended" },
  { type: "engine_begins" },
  { type: "phase_begun", phase, attempt: 2, runId: "r2" },
  { type: "agent_limited", phase, agent: "claude", until: "2026-01-01T10:00:00Z", message: "m" },
  { type: "outside_scope", phase, paths: ["x", "y"] },
  { type: "verification", phase, tree: SHA, outcome: "passed" },
  { type: "phase_landed", phase, candidate: SHA, verified: true },
  { type: "landing_repeated", phase, candidate: SHA },
  { type: "base_moved", phase, tip: SHA },
  { type: "phase_unchanged", phase: "b" },
  { type: "phase_funded", phase: "b" },
  { type: "decision", phase: "b", attempt: 1, verb: "retry", reason: HOSTILE },
  { type: "question_expired", phase: "b", id: "q-00000002", summary: "s" },
  { type: "phase_failed", phase: "b", reason: HOSTILE },
  { type: "engine_stops", reason: "as a person asked" },
  { type: "branch_pushed", remote: "origin", tip: SHA },
  { type: "push_refused", reason: "no" },
  { type: "nebula_updated", phases: ["a"] },
  { type: "base_update", phase: "base-1", commit: SHA, name: "main" },
  { type: "warning", phase, message: "w" },
  { type: "warning", phase, message: "w" },
  { type: "warning", message: "whole" },
  { type: "engine_ends", end: "failed", message: "" },
];

const AT = (at: number): string => new Date(at * 1000).toISOString();
const KEPT = EVENTS.map((event, at) => ({ at: AT(at), ...event }));
const WHOLE = continueStory(NO_STORY, KEPT);

test("a journal read in pieces tells the same as at once", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(KEPT.length)), (cuts) => {
      const ends = [...cuts.toSorted((one, other) => one - other), KEPT.length];
      const story = ends.reduce(
        (before, end, at) => continueStory(before, KEPT.slice(ends[at - 1] ?? 0, end)),
        NO_STORY,
      );
      expect(story).toEqual(WHOLE);
    }),
  );
});

test("every kind of event is read, with what it says of its phase", () => {
  expect(WHOLE.unreadableCount).toBe(0);
  expect(WHOLE.startedAt).toBe(AT(0));
  expect(WHOLE.phases.get("a")).toMatchObject({
    reworks: [{ attempt: 2, findings: [HOSTILE, "more"] }],
    verifications: [
      { tree: TREE, outcome: "failed" },
      { tree: SHA, outcome: "passed" },
    ],
    warnings: ["w"],
    landedAt: new Map([[SHA, AT(18)]]),
  });
  expect(WHOLE.decisions).toEqual([
    { phase: "", verb: "approve", reason: "", at: AT(2) },
    { phase: "b", verb: "retry", reason: HOSTILE, at: AT(23) },
  ]);
  expect(WHOLE.questions).toMatchObject([{ status: "answered", answer: "yes", endedAt: AT(6) }]);
});

test("an event is one line, whatever its texts hold", () => {
  for (const { text } of WHOLE.events) expect(text).not.toMatch(/[\r\n\u2028\u2029]/u);
  const silent = KEPT.filter(({ type }) => type === "candidate_made");
  expect(WHOLE.events).toHaveLength(KEPT.length - silent.length);
});

test("an engine that left no word was killed, and one that is at work is the last", () => {
  const [first, second] = [AT(0), AT(13)];
  expect(livesOf(WHOLE.lives, false)).toMatchObject([
    { startedAt: first, endedAt: AT(12), end: "killed" },
    { startedAt: second, endedAt: AT(KEPT.length - 1), end: "failed" },
  ]);
  const open = continueStory(WHOLE, [{ type: "engine_begins", at: AT(100) }]);
  const later = continueStory(open, [
    { at: AT(101), type: "decision", phase, attempt: 2, verb: "retry", reason: "" },
  ]);
  expect(livesOf(later.lives, true).at(-1)).toMatchObject({ end: "working", endedAt: "" });
  // A decision that a command recorded is no sign of life.
  expect(livesOf(later.lives, false).at(-1)).toMatchObject({ end: "killed", endedAt: AT(100) });
});

test("what is no event is counted and changes nothing else", () => {
  const junk = [
    ...[null, 1, "x", [], {}, { type: "phase_landed" }, { type: "unknown", at: AT(1) }],
    { type: "verification", at: AT(1), phase, tree: TREE, outcome: "__proto__" },
    JSON.parse('{"__proto__": {"type": "engine_begins"}, "at": 1}') as unknown,
  ];
  const mixed = KEPT.flatMap((event, at) => [event, junk[at % junk.length]]);
  const { unreadableCount, ...story } = continueStory(NO_STORY, mixed);
  expect(unreadableCount).toBe(KEPT.length);
  expect({ ...story, unreadableCount: 0 }).toEqual(WHOLE);
});

test("an event's line has no time but in UTC, of a limit that was met and of one that is on record", () => {
  const limit = { type: "agent_limited", phase, agent: "claude", at: AT(0) } as const;
  const until = "2026-11-29T08:11:09.627Z";
  const { events } = continueStory(NO_STORY, [
    { ...limit, until, message: "Usage limit reached" },
    { ...limit, until, message: "" },
  ]);
  expect(events.map(({ text }) => text)).toEqual([
    "claude met its usage limit; tried again at 2026-11-29 08:11:09 UTC: Usage limit reached",
    "waits for the usage limit of claude; tried again at 2026-11-29 08:11:09 UTC",
  ]);
});
