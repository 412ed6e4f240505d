import { expect, test } from "vitest";
import { AgentLimits } from "./agent-limits.ts";

const MINUTE = 60_000;
const NOW = Date.parse("2026-11-21T12:00:00Z");
const at = (ms: number): string => new Date(NOW + ms).toISOString();
const until = (ms: number) => ({ agent: "claude", until: NOW + ms });

test("holds all phases of an agent until its limit is lifted, and no other's", () => {
  const limits = new AgentLimits();
  expect(limits.met("claude", at(5 * MINUTE), NOW)).toBe(NOW + 5 * MINUTE);
  expect(limits.hold("a", ["claude"], NOW)).toEqual(until(5 * MINUTE));
  expect(limits.hold("b", ["codex", "claude"], NOW)).toEqual(until(5 * MINUTE));
  expect(limits.hold("c", ["codex"], NOW)).toBeUndefined();
});

test("has one phase try once it is lifted, and the others when that has succeeded", () => {
  const limits = new AgentLimits();
  limits.met("claude", at(MINUTE), NOW);
  const later = NOW + MINUTE;
  expect(limits.hold("a", ["claude"], later)).toBeUndefined();
  expect(limits.hold("b", ["claude"], later)).toEqual(until(Number.POSITIVE_INFINITY));
  expect(limits.hold("a", ["claude"], later)).toBeUndefined();
  limits.succeeded("claude", later);
  expect(limits.hold("b", ["claude"], later)).toBeUndefined();
});

test("is not lifted by a turn that was under way when it was met", () => {
  const limits = new AgentLimits();
  limits.met("claude", at(MINUTE), NOW);
  limits.succeeded("claude", NOW + 1);
  expect(limits.hold("a", ["claude"], NOW + 2)).toEqual(until(MINUTE));
});

test("has another phase try where the first has ended without a turn", () => {
  const limits = new AgentLimits();
  limits.met("claude", at(MINUTE), NOW);
  limits.hold("a", ["claude"], NOW + MINUTE);
  limits.left("a");
  expect(limits.hold("b", ["claude"], NOW + MINUTE)).toBeUndefined();
});

test("waits longer and longer where nobody says when it is lifted", () => {
  const limits = new AgentLimits();
  let now = NOW;
  for (const minutes of [1, 2, 4, 8, 16, 30, 30]) {
    const until = limits.met("claude", undefined, now);
    expect(until).toBe(now + minutes * MINUTE);
    // Others that meet it meanwhile make it no longer.
    limits.met("claude", undefined, now + 1);
    now = until;
  }
  limits.succeeded("claude", now);
  expect(limits.met("claude", undefined, now)).toBe(now + MINUTE);
});
