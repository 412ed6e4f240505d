import {
  type Checkpoint,
  createCheckpoint,
  decodeCheckpoint,
  encodeCheckpoint,
} from "@quasar/checkpoint";
import { PHASES } from "@quasar/checkpoint/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aCheckpoint, aFinding, aLedgerEntry, aTurn } from "../test/fixtures.ts";
import { checkpointFromState, stateFromCheckpoint } from "./convert.ts";
import type { Finding } from "./review/finding.ts";
import { parseReview } from "./review/parse-review.ts";
import type { CycleState } from "./state.ts";
import { tagFindings } from "./review/findings.ts";

const SHA = "a".repeat(40);
const METADATA = { phaseId: "api", nebulaName: "neb", gitSha: SHA };

const finding = aFinding({ description: "it's missing a check — §3", cycle: 2 });

/** What a checkpoint says beside the loop's state; what it says of the file's own is left out here. */
const METADATA_KEYS = ["version", "phaseId", "nebulaName", "createdAt", "gitSha"];

/** The state that a checkpoint stands for, by the list of its fields, not by the code under test. */
function aState(change: Partial<Checkpoint> = {}): CycleState {
  const fields = Object.entries(aCheckpoint(change));
  return Object.fromEntries(fields.filter(([key]) => !METADATA_KEYS.includes(key))) as CycleState;
}

const states: readonly (readonly [name: string, state: CycleState])[] = [
  ["an empty state", aState({ taskBeadId: "", taskTitle: "", cycle: 0, phase: "idle" })],
  [
    "a state in mid-cycle with findings",
    aState({
      cycle: 2,
      phase: "reviewing",
      coderOutput: "Changed a.go\n\t- tab\r\n",
      reviewOutput: 'ISSUE:\nDESCRIPTION: "x"\n',
      lintOutput: "a.go:1: unused",
      findings: [finding],
      allFindings: [aFinding({ status: "fixed" }), finding],
      turn: aTurn({ id: "run.4", role: "reviewer", status: "started", attempt: 2 }),
      totalCostUsd: 1.25,
      unknownCostUsd: 0.5,
      retryAt: "2026-01-02T05:00:00Z",
      commitStyle: "conventional",
      commitRefused: "message",
      commitFixes: 2,
      commitSubject: "fix: it's done — §3",
      neededBudgetUsd: 7.5,
      neededTurnBudgetUsd: 1.5,
      ledger: [aLedgerEntry({ turnId: "run.3", costUsd: 0.75 })],
    }),
  ],
  [
    "a state of several cycles with commits",
    aState({
      cycle: 3,
      phase: "resolving_issues",
      baseCommitSha: SHA,
      cycleCommits: ["b".repeat(40), "c".repeat(40), "d".repeat(40)],
      childBeadIds: ["q-1", "q-2"],
      refactored: true,
      originalDescription: "old\ntask",
      refactorDescription: "new\ntask",
      filterHistory: ["", "tests", "tests"],
      filterOutput: "failed",
      filterCheckName: "tests",
      questions: [
        {
          ...{ id: "q-12345678", turnId: "run.3", role: "coder", cycle: 3, kind: "blocker" },
          ...{ summary: "Which port?", detail: "", options: ["80", "8080"] },
        },
      ],
      humanResponses: "[HUMAN RESPONSES]",
      relayedAnswers: ["q-87654321"],
      untouchablePaths: ["notes.txt"],
      protectedPaths: [{ path: "notes.txt", mode: "100644", id: "e".repeat(40) }],
      branch: "fix/login",
      checkedTree: "f".repeat(40),
      checkedWith: "2".repeat(64),
      reviewedTree: "1".repeat(40),
      failure: "out of budget",
      revision: 17,
      lintFixes: 1,
      turnInstructions: "0123456789abcdef",
      hasUnreportedCosts: true,
      outcome: { outcome: "agent", message: "denied", allow: ["Bash(make)"], requests: 0 },
      settings: { lint: "make lint" },
      extra: { other: "kept" },
    }),
  ],
];

test("the states of these tests have a value of their own in every field of a checkpoint", () => {
  const empty: Readonly<Record<string, unknown>> = { ...createCheckpoint() };
  const all = states.map(([, state]) => state as unknown as Readonly<Record<string, unknown>>);
  const untried = Object.keys(empty).filter((key) => {
    const isTried = (state: Readonly<Record<string, unknown>>): boolean =>
      JSON.stringify(state[key]) !== JSON.stringify(empty[key]);
    return !METADATA_KEYS.includes(key) && !all.some(isTried);
  });
  expect(untried).toEqual([]);
});

describe("seed 1: Define Checkpoint struct and TOML serialization format", () => {
  test.for(states)(
    "%s makes a faithful round-trip through the state's stored form",
    ([, state]) => {
      expect(stateFromCheckpoint(checkpointFromState(state, METADATA))).toEqual(state);
    },
  );

  test.for(states)("%s makes a faithful round-trip through TOML", ([, state]) => {
    const checkpoint = checkpointFromState(state, METADATA);
    const read = decodeCheckpoint(encodeCheckpoint(checkpoint));
    expect(read).toEqual(checkpoint);
    expect(stateFromCheckpoint(read)).toEqual(state);
  });

  test("transient fields are not stored", () => {
    const stored = Object.keys(checkpointFromState(aState(), METADATA));
    expect(stored).not.toContain("lastCycleSha");
    expect(stored).not.toContain("bridgedDiscoveryIds");
  });

  test("a finding of a review is a checkpoint's finding, and round-trips", () => {
    const { findings } = parseReview("ISSUE:\nSEVERITY: minor\nDESCRIPTION: odd name");
    const [ofReview] = tagFindings(findings, 2);
    const state = { ...aState(), findings: ofReview ? [ofReview] : [] };
    const text = encodeCheckpoint(checkpointFromState(state, METADATA));
    const read: readonly Finding[] = stateFromCheckpoint(decodeCheckpoint(text)).findings;
    expect(read).toEqual([
      { id: ofReview?.id, severity: "minor", description: "odd name", cycle: 2, status: "found" },
    ]);
  });

  test("the version field is set to 1", () => {
    expect(checkpointFromState(aState(), METADATA).version).toBe(1);
  });

  test("createdAt is the time at which it is made", () => {
    const state = aState();
    const before = Date.now();
    const { createdAt } = checkpointFromState(state, METADATA);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
    const now = (): Date => new Date("2026-01-02T03:04:05.678Z");
    expect(checkpointFromState(state, { ...METADATA, now }).createdAt).toBe(
      "2026-01-02T03:04:05.678Z",
    );
  });
});

test("any state makes a round-trip through TOML", () => {
  const text = fc.string({ unit: "grapheme" }).map((each) => each.toWellFormed());
  const findings = fc.array(
    fc.record({
      severity: text,
      description: text,
      cycle: fc.integer({ min: 1, max: 99 }),
      status: fc.constantFrom("found", "fixed", "still_present", "regressed" as const),
    }),
  );
  const changes = fc.record({
    cycle: fc.integer({ min: 0, max: 99 }),
    phase: fc.constantFrom(...PHASES),
    totalCostUsd: fc.double({ min: 0, max: 1e6, noNaN: true }).map((cost) => cost + 0),
    taskTitle: text,
    coderOutput: text,
    reviewOutput: text,
    failure: text,
    findings: findings.map((each) => each.map((change) => aFinding(change))),
    cycleCommits: fc.array(fc.constantFrom(SHA, "b".repeat(40))),
    childBeadIds: fc.array(text),
    filterHistory: fc.array(text),
    lintFixes: fc.integer({ min: 1, max: 5 }),
    extra: fc.record({ other: fc.integer({ min: 1, max: 5 }) }),
  });
  fc.assert(
    fc.property(changes, (change) => {
      const state = aState(change);
      const stored = checkpointFromState(state, METADATA);
      expect(stateFromCheckpoint(decodeCheckpoint(encodeCheckpoint(stored)))).toEqual(state);
    }),
    { numRuns: 300 },
  );
});

test("a stored form cannot be changed by who holds it", () => {
  const list = [aFinding()];
  const state = stateFromCheckpoint(aCheckpoint({ findings: list }));
  list.push(aFinding({ description: "late" }));
  expect(state.findings).toHaveLength(1);
  expect(() => (state.findings as Finding[]).push(aFinding())).toThrow(TypeError);
});
