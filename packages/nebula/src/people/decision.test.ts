import { expect, test } from "vitest";
import { type PhaseState, pendingPhase } from "../state/state.ts";
import { type Decision, decide } from "./decision.ts";

const NOW = new Date(0);
const known = (id: string, change: Partial<PhaseState>): PhaseState => ({
  ...pendingPhase(id, "p1-0", NOW),
  ...change,
});
const skipped = (id: string): PhaseState => known(id, { status: "skipped" });
const leftOut = (id: string): PhaseState => known(id, { status: "skipped", isLeftOut: true });
const failed = (id: string): PhaseState => known(id, { status: "failed" });

/** `a` needs nothing, `b` needs it, `c` needs `b`; `d` needs `a` and `x`. */
const DEPENDENTS: Readonly<Record<string, readonly string[]>> = {
  a: ["b", "c", "d"],
  b: ["c"],
  x: ["d"],
};

const decision = (verb: Decision["verb"], phase: string): Decision => ({
  ...{ verb, phase, attempt: 1, digest: "", reason: "", isFinal: false },
});

function decided(phases: readonly PhaseState[], made: Decision) {
  return decide({ phases }, made, (id) => DEPENDENTS[id] ?? [], NOW);
}

test.for<readonly [what: string, others: readonly PhaseState[], back: readonly string[]]>([
  ["all that was skipped for it", [skipped("b"), skipped("c"), skipped("d")], ["b", "c", "d"]],
  ["nothing that a person has left out, nor what needs that", [leftOut("b"), skipped("c")], []],
  ["nothing that needs another one that failed", [failed("x"), skipped("b"), skipped("d")], ["b"]],
  ["nothing that needs it not", [skipped("e")], []],
])("a retry brings back %s", ([, others, back]) => {
  const made = decided([failed("a"), ...others], decision("retry", "a"));
  if (made.kind === "refused") throw new Error(made.why);
  expect([...made.changes.keys()].toSorted()).toEqual(["a", ...back]);
});

test("what a person leaves out is known as such, until it is retried itself", () => {
  const out = decided([skipped("a")], decision("skip", "a"));
  if (out.kind === "refused") throw new Error(out.why);
  expect(out.changes.get("a")).toMatchObject({ status: "skipped", isLeftOut: true });
  const back = decided([leftOut("a")], decision("retry", "a"));
  if (back.kind === "refused") throw new Error(back.why);
  expect(back.changes.get("a")).toMatchObject({ status: "pending", isLeftOut: false, attempt: 2 });
});

test.for(["queued", "landing"] as const)(
  "what a person has approved is rejected while it is %s, and nothing else is",
  (status) => {
    const [mine, other] = ["a".repeat(64), "b".repeat(64)];
    const approved = known("a", { status, digest: mine, approved: mine, tip: "c".repeat(40) });
    const reject = (digest: string, phase = approved) =>
      decided([phase], { ...decision("reject", "a"), digest, reason: "no" });
    const made = reject(mine);
    if (made.kind === "refused") throw new Error(made.why);
    expect(made.changes.get("a")).toMatchObject({
      ...{ status: "pending", attempt: 2, approved: "", base: approved.tip },
      findings: ["[person] no"],
    });
    expect(reject(other)).toMatchObject({ kind: "refused" });
    expect(reject("", known("a", { status }))).toMatchObject({ kind: "refused" });
    const landed = known("a", { status: "done", landing: 1, digest: mine, approved: mine });
    expect(reject(mine, landed)).toEqual({ kind: "refused", why: "it has landed" });
  },
);
