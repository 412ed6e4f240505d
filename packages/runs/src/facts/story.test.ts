import { expect, test } from "vitest";
import type { Fact } from "../journal/fact.ts";
import { AJOURNAL, aJournal } from "../../test/a-journal.ts";
import { continueStory, NO_STORY } from "./story.ts";

test("a journal in pieces tells the same as at once", () => {
  const facts = aJournal(...AJOURNAL);
  const whole = continueStory(NO_STORY, facts);
  for (let at = 0; at <= facts.length; at += 1) {
    const before = continueStory(NO_STORY, facts.slice(0, at));
    const kept = structuredClone(before);
    expect(continueStory(before, facts.slice(at))).toEqual(whole);
    expect(before).toEqual(kept);
  }
  const oneByOne = facts.reduce((story, fact) => continueStory(story, [fact]), NO_STORY);
  expect(oneByOne).toEqual(whole);
});

test("tells what happened, one line an event", () => {
  const { events } = continueStory(NO_STORY, aJournal(...AJOURNAL));
  expect(events.map(({ text }) => text)).toMatchInlineSnapshot(`
    [
      "one note",
      "cycle 1",
      "coder: works (run.1)",
      "resumed from checkpoint; The coder was mid-turn.",
      "coder: restarts (run.1)",
      "snapshot: what was not committed is kept: snapshot 1",
      "coder: works (run.2, attempt 2)",
      "coder: failed: busy; Retry 1 of 3 in 1 min, at 2026-01-01 00:08:00 UTC.",
      "coder: continues its session (run.2)",
      "coder: works (run.3, attempt 3)",
      "coder: done in 1:01, $0.50",
      "denied: \`npm publish\`",
      "commit: 0123456789, 2 files, +10 -3",
      "check: npm test: failed",
      "review: 1 finding, back to the coder",
      "struggle: the same again",
      "cycle 2",
      "coder: works (run.5)",
      "coder: done in 1.0 s, cost unknown",
      "commit: nothing had changed",
      "commit: 0123456789, what the checks changed: a.ts",
      "reviewer: changed b.ts: undone; its version: snapshot 2",
      "review: approved",
      "ended: approved",
    ]
  `);
});

test("tells what became of turns, findings, commits and checks", () => {
  const { events: _, ...story } = continueStory(NO_STORY, aJournal(...AJOURNAL));
  expect(story).toMatchInlineSnapshot(`
    {
      "commits": [
        {
          "added": 10,
          "at": "2026-01-01T00:12:00.000Z",
          "by": "",
          "cycle": 1,
          "fileCount": 2,
          "removed": 3,
          "sha": "0123456789abcdef0123456789abcdef01234567",
          "turnId": "run.3",
        },
        {
          "added": undefined,
          "at": "2026-01-01T00:20:00.000Z",
          "by": "checks",
          "cycle": 2,
          "fileCount": 1,
          "removed": undefined,
          "sha": "0123456789abcdef0123456789abcdef01234567",
          "turnId": "run.5",
        },
      ],
      "cycles": [
        {
          "checks": [
            {
              "at": "2026-01-01T00:13:00.000Z",
              "check": "filter",
              "isPassed": false,
              "name": "npm test",
              "output": "1 failed",
            },
          ],
          "cycle": 1,
          "endedAt": "2026-01-01T00:14:00.000Z",
          "isApproved": false,
          "startedAt": "2026-01-01T00:01:00.000Z",
        },
        {
          "checks": [],
          "cycle": 2,
          "endedAt": "2026-01-01T00:22:00.000Z",
          "isApproved": true,
          "startedAt": "2026-01-01T00:16:00.000Z",
        },
      ],
      "findings": Map {
        "f-1" => [
          {
            "cycle": 1,
            "status": "found",
          },
          {
            "cycle": 2,
            "status": "fixed",
          },
        ],
      },
      "forkedFrom": "",
      "lastAt": "2026-01-01T00:24:00.000Z",
      "lives": [
        {
          "end": "",
          "hasTurn": true,
          "isBeginning": false,
          "lastAt": "2026-01-01T00:02:00.000Z",
          "message": "",
          "recovered": undefined,
          "startedAt": "2026-01-01T00:00:00.000Z",
          "waitsUntil": "",
        },
        {
          "end": "approved",
          "hasTurn": true,
          "isBeginning": false,
          "lastAt": "2026-01-01T00:24:00.000Z",
          "message": "The reviewer approved.",
          "recovered": {
            "how": "restarted",
            "turnId": "run.1",
          },
          "startedAt": "2026-01-01T00:03:00.000Z",
          "waitsUntil": "",
        },
      ],
      "startedAt": "2026-01-01T00:00:00.000Z",
      "turns": Map {
        "run.1" => {
          "denied": [],
          "durationMs": undefined,
          "endedAt": "",
          "life": 0,
          "recoveries": [
            "restarted",
          ],
          "summary": "",
        },
        "run.2" => {
          "denied": [],
          "durationMs": undefined,
          "endedAt": "",
          "life": 1,
          "recoveries": [],
          "summary": "",
        },
        "run.3" => {
          "denied": [
            "npm publish",
          ],
          "durationMs": 61000,
          "endedAt": "2026-01-01T00:10:00.000Z",
          "life": 1,
          "recoveries": [],
          "summary": "Added it.",
        },
        "run.5" => {
          "denied": [],
          "durationMs": 1000,
          "endedAt": "2026-01-01T00:18:00.000Z",
          "life": 1,
          "recoveries": [],
          "summary": "",
        },
      },
    }
  `);
});

const HOSTILE: readonly unknown[] = [
  { type: "__proto__" },
  { type: "constructor", cycle: 1 },
  { type: "cycle_start", cycle: "1" },
  { type: "cycle_start", cycle: -1 },
  { type: "agent_start", turnId: { toString: null } },
  { type: "turn_recovered", how: "stolen", turnId: 7 },
  { type: "agent_done", turnId: "run.1", durationMs: "long", costUsd: Number.NaN, summary: [] },
  { type: "tools_denied", turnId: "run.1", denials: [null, 3, { what: 4 }] },
  { type: "committed", sha: 5, changes: [], paths: "x" },
  { type: "check_done", check: "other", name: null },
  { type: "review_complete", findings: "no", changed: [{ id: 1 }], all: { id: "f" } },
  { type: "resumed", time: "yesterday", details: [1], message: null },
  { type: "waiting", until: "soon", waitMs: "x" },
  { type: "result", outcome: {}, message: [] },
  { type: "of a later version", time: 5 },
];

test("what is no fact of a run is passed over, and takes nothing with it", () => {
  const facts = HOSTILE as readonly Fact[];
  const story = continueStory(NO_STORY, [...facts, ...aJournal(...AJOURNAL)]);
  expect(story.commits).toEqual(continueStory(NO_STORY, aJournal(...AJOURNAL)).commits);
  expect(story.cycles.map(({ cycle }) => cycle)).toEqual([1, 2]);
  expect(story.events.every(({ text }) => typeof text === "string")).toBe(true);
});

const START = [
  { type: "cycle_start", cycle: 1 },
  { type: "agent_start", turnId: "run.1" },
];
const RESUMED = { type: "resumed", cycle: 1, message: "resumed from checkpoint", details: [] };
const RESULT = { type: "result", outcome: "interrupted", message: "stopped" };

test.for<readonly [string, readonly object[], readonly string[]]>([
  ["a start", START, [""]],
  ["a run that was stopped", [...START, RESULT], ["interrupted"]],
  ["one that was killed and resumed", [...START, RESUMED, RESULT], ["", "interrupted"]],
  ["a resume with accepted facts", [...START, { type: "accepted" }, RESUMED], ["", ""]],
  ["a resume after a note", [...START, RESULT, { type: "notice" }, RESUMED], ["interrupted", ""]],
  ["a run that was given up", [...START, { type: "abandoned" }], [""]],
  ["a fork", [{ type: "forked", from: "other" }, { type: "notice" }, RESUMED], [""]],
])("counts the lives of %s", ([, facts, ends]) => {
  const { lives } = continueStory(NO_STORY, aJournal(...facts));
  expect(lives.map(({ end }) => end)).toEqual(ends);
});

const WAITING = { type: "waiting", until: "2026-01-01T01:00:00.000Z", waitMs: 1000 };

test.for([
  ["in the same command", "2026-01-01T01:00:01.000Z", 1],
  ["by another command, before the wait was over", "2026-01-01T00:30:00.000Z", 2],
  ["by another command, the day after", "2026-01-02T01:00:00.000Z", 2],
] as const)("a run that waits at a limit continues %s", ([, time, count]) => {
  const facts = [...aJournal(...START, WAITING), { ...RESUMED, time }];
  expect(continueStory(NO_STORY, facts).lives).toHaveLength(count);
});
