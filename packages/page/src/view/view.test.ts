import { expect, test } from "vitest";
import { aNebula, aNebulaReport } from "../../test/a-nebula.ts";
import { aRun, aRunReport, aTurn } from "../../test/a-run.ts";
import { crashesOf } from "./crashes.ts";
import { findingsOf, lifeWords } from "./findings.ts";
import { landingWords } from "./landings.ts";
import { commandsOf } from "./reproduce.ts";
import { timelineOf } from "./timeline.ts";
import { turnCost, turnWords } from "./turn-words.ts";
import { verdictOf } from "./verdict.ts";

const ofRun = (change: Parameters<typeof aRun>[0]) => ({ kind: "run", run: aRun(change) }) as const;

test("a run's lanes are its roles, with turns, a reattachment and commits", () => {
  const timeline = timelineOf(aRunReport());
  expect(timeline?.lanes.map(({ name, bars }) => [name, bars.map(({ status }) => status)])).toEqual(
    [
      ["coder", ["settled", "lost", "settled", "settled"]],
      ["reviewer", ["settled", "settled", "settled"]],
    ],
  );
  const marks = timeline?.lanes.flatMap((lane) => lane.marks.map(({ kind }) => kind));
  expect(marks).toEqual(["reattached", "landing", "landing", "landing"]);
  expect(timeline?.kills).toHaveLength(2);
  expect(timeline?.breaks).toHaveLength(1);
});

test("a nebula's lanes are its phases that have begun", () => {
  const names = timelineOf(aNebulaReport())?.lanes.map(({ name }) => name);
  expect(names).toEqual(["schema", "config", "login-api", "rate-limit"]);
});

test("a run without turns has no timeline", () => {
  expect(timelineOf(ofRun({ turns: [] }))).toBe(undefined);
});

test("says what crashes have cost", () => {
  expect(crashesOf(aRunReport()).headline).toBe("2 crashes, 0 turns paid for again");
  expect(crashesOf(aNebulaReport()).headline).toBe("1 crash, 0 turns paid for again");
});

test("findings that are open come first, with their life in words", () => {
  const findings = findingsOf(aRunReport());
  expect(findings.map(({ status }) => status)).toEqual(["found", "fixed"]);
  expect(findings.map(lifeWords)).toEqual([
    ["found in cycle 2"],
    ["found in cycle 1", "still present in cycle 2", "fixed in cycle 3"],
  ]);
});

test("a finding that is found again has been found in the first of the cycles", () => {
  const [finding] = findingsOf(aRunReport());
  const life = [{ cycle: 1, status: "found" }] as const;
  expect(finding && lifeWords({ ...finding, cycle: 2, life })).toEqual([
    "found in cycle 1",
    "found again in cycle 2",
  ]);
});

test.for([
  [{}, "$0.21"],
  [{ unknownUsd: 0.21 }, "up to $0.21"],
  [{ unknownUsd: 0.1 }, "$0.11, up to $0.10 more"],
  [{ status: "open", costUsd: 0 }, "up to $0.50"],
] as const)("a turn with %o has cost %s", ([change, words]) => {
  expect(turnCost(aTurn(1, change))).toBe(words);
});

test("a turn is one line", () => {
  expect(turnWords(aTurn(3, { attempt: 2, recoveries: ["followed"] }))).toBe(
    "coder, cycle 2, attempt 2, done, reattached, 1:50, $0.21",
  );
});

test.for([
  [{ status: "approved" }, "good", "Approved after 3 cycles"],
  [{ status: "stopped" }, "bad", "Stopped in cycle 3 of 5, not approved"],
  [{ status: "interrupted" }, "wait", "Interrupted in cycle 3 of 5"],
  [{ status: "running" }, "quiet", "Running, cycle 3 of 5"],
] as const)("a run with %o is %s: %s", ([change, tone, headline]) => {
  expect(verdictOf(ofRun(change))).toMatchObject({ tone, headline });
});

test("an approved run that wants a person's review says so", () => {
  const { verdict } = aRun();
  if (verdict === undefined) throw new Error("it has a verdict");
  const wanted = verdictOf(ofRun({ verdict: { ...verdict, needsHumanReview: true } }));
  expect(wanted.tone).toBe("wait");
  expect(wanted.facts).toContain("the reviewer asks for a person's review");
});

test.for([
  [{}, "wait", ["stopped", "1 needs you", "1 failed"]],
  [{ needs: [] }, "bad", ["stopped", "1 failed"]],
  [{ needs: [], phases: [], status: "done" }, "good", ["done"]],
] as const)("a nebula with %o is %s", ([change, tone, facts]) => {
  const verdict = verdictOf({ kind: "nebula", nebula: aNebula(change) });
  expect(verdict.tone).toBe(tone);
  expect(verdict.facts.slice(0, facts.length)).toEqual(facts);
});

test("a landing says whether its tree was verified", () => {
  const [landing] = aNebula().landings;
  if (landing === undefined) throw new Error("it has a landing");
  expect(landingWords(landing).words).toBe("validated tree = delivered tree (passed)");
  expect(landingWords({ ...landing, isVerifiedTree: false }).isGood).toBe(false);
  const unverified = { ...landing, isVerifiedTree: undefined, verifications: [] };
  expect(landingWords(unverified)).toEqual({ isGood: false, words: "nothing was verified" });
});

test("the commands that reproduce it name each check once", () => {
  expect(commandsOf(aRunReport()).map(({ line }) => line)).toEqual([
    "git diff aaaaaaaaaaaa cccccccccccc",
    "git switch --detach cccccccccccc",
    "pnpm test",
    "pnpm lint",
    "quasar show k3f9x2",
  ]);
});
