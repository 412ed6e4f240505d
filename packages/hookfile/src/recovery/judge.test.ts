import { expect, test } from "vitest";
import { after, aHook, DAY, MINUTE } from "../../test/interrupted.ts";
import { HOOK_STATES, type HookState, type RecoveryContext } from "../store/hook-file.ts";
import { judge } from "./judge.ts";

const RECOVERY: RecoveryContext = {
  detectedAt: after(0).toISOString(),
  crashType: "signal",
  lastKnownState: "step_running",
  wasValidating: false,
  recommendedAction: "retry_step",
  reason: "",
};

const long = { lastSign: after(0), now: after(DAY) };

// SPEC.md, statements 174, 184.
test.for([
  ["initializing", "interrupted", "running", "interrupted"],
  ["step_pending", "waiting", "running", "waiting"],
  ["step_running", "interrupted", "running", "interrupted"],
  ["step_validating", "interrupted", "running", "interrupted"],
  ["awaiting_human", "waiting", "waiting", "waiting"],
  ["recovering", "crashed", "running", "crashed"],
  ["completed", "ended", "ended", "ended"],
  ["failed", "ended", "ended", "ended"],
  ["abandoned", "ended", "ended", "ended"],
] as const)(
  "%s is judged by its driver: gone %s, living %s, unknown for long %s",
  ([state, gone, lives, unknown]) => {
    const hook = aHook(state, "implement", state === "recovering" ? { recovery: RECOVERY } : {});
    expect(judge(hook, { driver: "gone", ...long })).toBe(gone);
    expect(judge(hook, { driver: "lives", ...long })).toBe(lives);
    expect(judge(hook, { driver: "unknown", ...long })).toBe(unknown);
  },
);

test("every state is judged", () => {
  const judged = (state: HookState): string => judge(aHook(state), { driver: "gone", ...long });
  expect(HOOK_STATES.map(judged).filter((kind) => kind === undefined)).toEqual([]);
});

// SPEC.md, statements 175.
test.for([
  [0, "running"],
  [5 * MINUTE - 1, "running"],
  [5 * MINUTE, "interrupted"],
  [-5 * MINUTE, "interrupted"],
  [-DAY, "interrupted"],
] as const)("with an unknown driver, last seen %i ms ago, a step is %s", ([age, kind]) => {
  const input = { driver: "unknown", lastSign: after(0), now: after(age) } as const;
  expect(judge(aHook("step_running", "implement"), input)).toBe(kind);
});

test("a driver that is gone is gone at once, not after minutes", () => {
  const input = { driver: "gone", lastSign: after(0), now: after(1) } as const;
  expect(judge(aHook("step_running", "implement"), input)).toBe("interrupted");
});

test("recovering without its context is an interruption like any other", () => {
  expect(judge(aHook("recovering"), { driver: "gone", ...long })).toBe("interrupted");
});
