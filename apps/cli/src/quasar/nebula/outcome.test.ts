import type { NebulaState } from "@quasar/nebula";
import type { NebulaNow } from "@quasar/nebula/internal";
import { expect, test } from "vitest";
import { stepsOfNebula, stepsOfPhase } from "./outcome.ts";

const NOW = { pid: undefined, limits: new Map() } as unknown as NebulaNow;

const AGAIN = "   # with an unchanged text it may fail again";

test("each phase that waits has a line, the first one all that can be typed", () => {
  const waits = (id: string, question: string) => ({
    ...{ id, question, status: "awaiting_human", questions: [], merges: "", approvedCandidate: "" },
  });
  const phases = [
    waits("one", "rework"),
    ...["two", "three", "four"].map((id) => waits(id, "land")),
  ];
  const nebula = { id: "abc", archivedFrom: "", planVerdict: "", phases };
  const now = { pauseEnds: [], questions: [], limits: new Map() };
  const steps = stepsOfNebula(nebula as unknown as NebulaState, now as unknown as NebulaNow);
  expect(steps).toEqual([
    "quasar nebula show abc one",
    `quasar nebula retry one --nebula abc${AGAIN}`,
    "quasar nebula skip one --nebula abc",
    "quasar nebula show abc two   # waits for you, too",
    "quasar nebula show abc three   # waits for you, too",
    "quasar nebula status abc --all   # 4 phases wait",
  ]);
});

test.for([
  [undefined, ["quasar nebula stop abc"]],
  [{ isNow: false }, ["quasar nebula stop abc --now   # cuts the turns in flight off"]],
  [{ isNow: true }, []],
] as const)("an engine that was asked to stop is not stopped again: %j", ([stops, steps]) => {
  const phases = [{ id: "a", status: "running", question: "", questions: [], merges: "" }];
  const nebula = { id: "abc", archivedFrom: "", planVerdict: "", phases };
  const now = { pid: 1, stops, pauseEnds: [], questions: [], limits: new Map() };
  const next = stepsOfNebula(nebula as unknown as NebulaState, now as unknown as NebulaNow);
  expect(next).toEqual(["quasar nebula log abc --follow", ...steps]);
});

test("what was approved as another change leads to what differs", () => {
  const asked = { id: "a", status: "awaiting_human", question: "land", questions: [], merges: "" };
  const phase = { ...asked, approvedCandidate: "1".repeat(40) };
  const nebula = { id: "abc" } as NebulaState;
  expect(stepsOfPhase(nebula, phase as unknown as NebulaState["phases"][number], NOW)[0]).toBe(
    "quasar nebula diff a --nebula abc --since-approval",
  );
});

test("an id that looks like an option is none in the commands that are advised", () => {
  const phase = (id: string) => ({ id, status: "failed" }) as NebulaState["phases"][number];
  const nebula = { id: "abc" } as NebulaState;
  expect(stepsOfPhase(nebula, phase("--all"), NOW)).toEqual([
    `quasar nebula retry --nebula abc -- --all${AGAIN}`,
  ]);
  expect(stepsOfPhase(nebula, phase("a b"), NOW)).toEqual([
    `quasar nebula retry 'a b' --nebula abc${AGAIN}`,
  ]);
});

test("a pause is ended before a plan that waits is decided", () => {
  const nebula = { id: "abc", dir: "tokens", archivedFrom: "", planVerdict: "rejected" };
  const now = { pauseEnds: ["quasar nebula continue abc"] };
  expect(stepsOfNebula(nebula as NebulaState, now as unknown as NebulaNow)).toEqual([
    "quasar nebula continue abc",
    "quasar nebula update tokens",
    "quasar nebula approve --nebula abc",
  ]);
});

test("what stands in the way of an engine is removed before a resume", () => {
  const phases = [{ id: "a", status: "pending", questions: [] }];
  const nebula = { id: "abc", dir: "/demo", archivedFrom: "", planVerdict: "", phases };
  const now = { pauseEnds: [], questions: [], limits: new Map() };
  const message = "words";
  const obstacles = [
    { stops: "work", message, accepts: "settings" },
    { stops: "work", message, fails: "verify", accepts: "red-base" },
    { stops: "landing", message, shells: ["git -C /repo switch main"] },
  ] as const;
  const state = nebula as unknown as NebulaState;
  const at = now as unknown as NebulaNow;
  expect(stepsOfNebula(state, at, { obstacles })).toEqual([
    "git -C /repo switch main",
    "quasar nebula update-base --nebula abc   # once your branch has a fix",
    "quasar nebula update /demo   # or once verify is corrected",
    "quasar nebula apply abc --auto --resume --accept-settings --accept-red-base",
  ]);
});

test("of a nebula that has ended, and whose branch lacks what has landed, nothing but the way back is advised", () => {
  const phases = [{ id: "a", status: "done", landing: 1, questions: [] }];
  const state = { id: "abc", archivedFrom: "", planVerdict: "", phases, branch: "nebula/demo" };
  const now = { pauseEnds: [], questions: [], limits: new Map() };
  const shells = ["git branch --force nebula/demo 0123456789ab"];
  const obstacles = [{ stops: "landing", message: "words", shells }] as const;
  const nebula = state as unknown as NebulaState;
  expect(stepsOfNebula(nebula, now as unknown as NebulaNow, { obstacles })).toEqual(shells);
});

test("a branch that cannot be set up is not accepted: a resume verifies it again", () => {
  const phases = [{ id: "a", status: "queued", questions: [] }];
  const nebula = { id: "abc", dir: "/demo", archivedFrom: "", planVerdict: "", phases };
  const now = { pauseEnds: [], questions: [], limits: new Map() };
  const obstacles = [{ stops: "work", message: "words", fails: "setup" }] as const;
  const state = nebula as unknown as NebulaState;
  expect(stepsOfNebula(state, now as unknown as NebulaNow, { obstacles })).toEqual([
    "quasar nebula update-base --nebula abc   # once your branch has a fix",
    "quasar nebula update /demo   # or once setup is corrected",
    "quasar nebula apply abc --auto --resume",
  ]);
});

test("usage limits that stand lead to a resume that waits for the last, and to one that does not", () => {
  const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  const limit = { agent: "claude", until: at(50), file: "/state/limits/a b.json" };
  const other = { agent: "codex", until: at(170), file: "/state/limits/c.json" };
  const limits = new Map([
    ["a", limit],
    ["b", limit],
    ["c", other],
  ]);
  const phases = [{ id: "a", status: "pending", questions: [] }];
  const nebula = { id: "abc", archivedFrom: "", planVerdict: "", phases } as unknown;
  const now = { pauseEnds: [], questions: [], limits } as unknown as NebulaNow;
  const lifted = [
    "rm '/state/limits/a b.json'   # if the limit of claude is lifted already",
    "rm /state/limits/c.json   # if the limit of codex is lifted already",
  ];
  expect(stepsOfNebula(nebula as NebulaState, now)).toEqual([
    "quasar nebula apply abc --auto --resume --wait-limit 3h",
    ...lifted,
  ]);
  expect(stepsOfNebula(nebula as NebulaState, { ...now, pid: 1 })).toEqual([
    "quasar nebula log abc --follow",
    "quasar nebula stop abc",
    ...lifted,
  ]);
});
