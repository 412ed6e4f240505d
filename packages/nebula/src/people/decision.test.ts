import { expect, test } from "vitest";
import { type PhaseState, pendingPhase } from "../state/state.ts";
import { canDecide, type Decision, decide, VERBS } from "./decision.ts";

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
      reason: "rejected by a person: no",
    });
    expect(reject(other)).toMatchObject({ kind: "refused" });
    expect(reject("", known("a", { status }))).toMatchObject({ kind: "refused" });
    const landed = known("a", { status: "done", landing: 1, digest: mine, approved: mine });
    expect(reject(mine, landed)).toEqual({ kind: "refused", why: "it has landed" });
  },
);

test.for([
  ["queued", "m".repeat(40), "changes"],
  ["queued", "", "refused"],
  ["landing", "m".repeat(40), "refused"],
  ["done", "m".repeat(40), "refused"],
] as const)("of what is %s a merge of %j is left out: %s", ([status, merges, kind]) => {
  const phase = known("a", { status, merges });
  expect(decided([phase], decision("skip", "a"))).toMatchObject({ kind });
});

const DIGEST = "d".repeat(64);

/** A phase in its second attempt, whose change a person is asked about. */
const WAITING = known("a", {
  ...{ status: "awaiting_human", question: "land", attempt: 2, digest: DIGEST },
});

const answered = (change: Partial<Decision>, phase: PhaseState = WAITING) => {
  const about = { attempt: 2, digest: DIGEST, reason: "it is not there" };
  return decided([phase], { ...decision("approve", "a"), ...about, ...change });
};

test.for(VERBS)("an answer to another attempt is refused: %s", (verb) => {
  expect(answered({ verb }).kind).toBe("changes");
  expect(answered({ verb, attempt: 1 })).toEqual({
    kind: "refused",
    why: "it is about attempt 1, and attempt 2 is under way",
  });
});

test.for(["approve", "reject"] as const)("an answer to another change is refused: %s", (verb) => {
  expect(answered({ verb, digest: "e".repeat(64) })).toEqual({
    kind: "refused",
    why: "its change is another one by now: look at it again",
  });
});

test("an answer is used once", () => {
  const first = answered({});
  if (first.kind !== "changes") throw new Error(first.why);
  expect(answered({}, { ...WAITING, ...first.changes.get("a") }).kind).toBe("refused");
});

test("an unknown phase has no answer", () => {
  expect(answered({ phase: "b" })).toEqual({ kind: "refused", why: "there is no such phase" });
});

test.for([
  ["queued", "it is approved already"],
  ["landing", "it is approved already"],
  ["done", "it has landed"],
] as const)("an approval of what is %s says so", ([status, why]) => {
  const approved = { ...WAITING, status, question: "", approved: DIGEST, landing: 1 } as const;
  expect(answered({}, approved)).toEqual({ kind: "refused", why });
});

test("an approval of what a reviewer alone has approved is of nothing that was asked", () => {
  const queued = { ...WAITING, status: "queued", question: "", approved: "" } as const;
  const why = "nobody is asked whether it lands";
  expect(answered({}, queued)).toEqual({ kind: "refused", why });
});

test.for([
  ["pending", ["skip"]],
  ["running", []],
  ["queued", []],
  ["done", []],
  ["failed", ["retry", "skip"]],
  ["skipped", ["retry", "skip"]],
  ["awaiting_human", ["approve", "reject", "retry", "skip"]],
] as const)("of a phase that is %s a person can decide %j", ([status, verbs]) => {
  const phases = [known("a", { status, question: status === "awaiting_human" ? "land" : "" })];
  expect(VERBS.filter((verb) => canDecide({ phases }, verb, "a"))).toEqual(verbs);
  expect(canDecide({ phases }, "skip", "b")).toBe(false);
});
