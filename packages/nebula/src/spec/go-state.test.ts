import { expect, test } from "vitest";
import { PHASE_STATUSES } from "../state/state.ts";
import { decodeGoState, encodeGoState, goOutcome, GO_STATUSES } from "./go-state.ts";
import { goStatusOf } from "../state/mirror.ts";

const OF_GO = `version = 1
nebula_name = 'auto-decomposition'
total_cost_usd = 18.21645175

[phases]
[phases.dag-insertion]
bead_id = 'quasar-30h1'
status = 'done'
created_at = 2026-02-28T23:19:20.342678-05:00
updated_at = 2026-02-28T23:42:59Z

[phases.dag-insertion.report]
satisfaction = 'high'
risk = 'low'
needs_human_review = false
summary = 'Solid'

[phases.wiring]
bead_id = ''
status = 'in_progress'
created_at = 0001-01-01T00:00:00Z
updated_at = 2026-02-28T23:42:59.230279-05:00
`;

test("a state file of the Go original is read", () => {
  const { state, warnings } = decodeGoState(OF_GO);
  expect(warnings).toEqual([]);
  expect({ ...state, phases: [...state.phases] }).toEqual({
    nebulaName: "auto-decomposition",
    totalCostUsd: 18.21645175,
    extra: {},
    phases: [
      [
        "dag-insertion",
        {
          beadId: "quasar-30h1",
          status: "done",
          createdAt: "2026-02-28T23:19:20.342-05:00",
          updatedAt: "2026-02-28T23:42:59.000Z",
          extra: {},
          report: {
            satisfaction: "high",
            risk: "low",
            needsHumanReview: false,
            summary: "Solid",
            extra: {},
          },
        },
      ],
      [
        "wiring",
        {
          beadId: "",
          status: "in_progress",
          createdAt: "0001-01-01T00:00:00.000Z",
          updatedAt: "2026-02-28T23:42:59.230-05:00",
          extra: {},
          report: undefined,
        },
      ],
    ],
  });
});

test("a state that is written reads back as it was, its unknown keys too, and phases are sorted", () => {
  const more = OF_GO.replace("[phases]\n", "branch = 'nebula/a'\n\n[phases]\n")
    .replace("status = 'done'", "status = 'done'\ntries = 3\nseen = 2026-01-01")
    .replace("risk = 'low'", "risk = 'low'\nlevel = [1, 2]");
  const { state } = decodeGoState(more);
  const text = encodeGoState({ ...state, phases: new Map([...state.phases].toReversed()) });
  expect(decodeGoState(text)).toEqual({ state, warnings: [] });
  expect([...decodeGoState(text).state.phases.keys()]).toEqual(["dag-insertion", "wiring"]);
  expect(state.extra).toEqual({ branch: "nebula/a" });
  expect(state.phases.get("dag-insertion")?.extra).toMatchObject({ tries: 3 });
  expect(state.phases.get("dag-insertion")?.report?.extra).toEqual({ level: [1, 2] });
});

test("a cost of 0 is left out, and ids of any kind are keys", () => {
  const phase = {
    beadId: "",
    status: "pending",
    createdAt: "2026-11-26T10:00:00.000Z",
    updatedAt: "2026-11-26T10:00:00.000Z",
    report: undefined,
    extra: {},
  } as const;
  const ids = ["__proto__", 'a "b".c', "constructor", "x\ny", "ö"];
  const state = {
    nebulaName: "n",
    totalCostUsd: 0,
    phases: new Map(ids.map((id) => [id, phase])),
    extra: {},
  };
  const text = encodeGoState(state);
  expect(text).not.toContain("total_cost_usd");
  expect(decodeGoState(text).state).toEqual(state);
});

test("an empty file is an empty state", () => {
  expect(decodeGoState("").state.phases.size).toBe(0);
});

test("[tasks] of early versions are phases, with a warning, where there are no others", () => {
  const former = OF_GO.replaceAll("[phases", "[tasks");
  expect(decodeGoState(former)).toEqual({
    state: decodeGoState(OF_GO).state,
    warnings: [expect.stringContaining("[tasks]")],
  });
  const both = decodeGoState(`${OF_GO}[tasks.old]\nstatus = 'failed'\n`);
  expect([...both.state.phases.keys()]).toEqual(["dag-insertion", "wiring"]);
});

test.for([
  ["no TOML", "version = ", "is damaged: "],
  ["a status that nobody has", "[phases.a]\nstatus = 'lost'\n", "phases.a.status is not one of"],
  ["a phase without status", "[phases.a]\nbead_id = ''\n", "phases.a.status is missing"],
  ["phases that are none", "phases = 3\n", "phases is not a table"],
  ["a phase that is none", "[phases]\na = 3\n", "phases.a is not a table"],
  [
    "a time without zone",
    "[phases.a]\nstatus = 'done'\ncreated_at = 2026-01-01T00:00:00\n",
    "a time",
  ],
  ["a cost below 0", "total_cost_usd = -1.0\n", "total_cost_usd is not an amount"],
] as const)("a state file with %s is damaged", ([, text, why]) => {
  expect(() => decodeGoState(text)).toThrow(
    expect.objectContaining({ code: "ERR_INVALID_STATE", message: expect.stringContaining(why) }),
  );
});

test("a state file of a later version is refused, whatever else is in it", () => {
  expect(() => decodeGoState("version = 2\nphases = 3\n")).toThrow(
    expect.objectContaining({ code: "ERR_INCOMPATIBLE_VERSION" }),
  );
});

test("our states have one of the seven words of the Go original", () => {
  const words = Object.fromEntries(PHASE_STATUSES.map((status) => [status, goStatusOf(status)]));
  expect(words).toEqual({
    pending: "pending",
    running: "in_progress",
    queued: "in_progress",
    landing: "in_progress",
    awaiting_human: "in_progress",
    done: "done",
    failed: "failed",
    skipped: "skipped",
  });
});

test("split phases are done, skipped ones stay skipped, and what was under way is open", () => {
  expect(Object.fromEntries(GO_STATUSES.map((status) => [status, goOutcome(status)]))).toEqual({
    pending: "open",
    created: "open",
    in_progress: "open",
    done: "done",
    failed: "failed",
    skipped: "skipped",
    decomposed: "done",
  });
});
