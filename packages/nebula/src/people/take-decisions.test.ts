import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { aFolder, aSpec } from "../../test/a-nebula.ts";
import { nebulaHome } from "../state/home.ts";
import { type NebulaState, NO_PUSH, pendingPhase } from "../state/state.ts";
import { createState, openState } from "../state/store.ts";
import type { Decision } from "./decision.ts";
import { leaveNote } from "./notes.ts";
import { takeDecisions } from "./take-decisions.ts";

const NOW = new Date(0);
const DIGEST = "d".repeat(64);
const WAITS = { status: "awaiting_human", question: "land", digest: DIGEST } as const;
const BEGUN: NebulaState = {
  ...{ id: "abcdefghij", name: "n", branch: "nebula/n", dir: "/n", base: "0".repeat(40) },
  ...{ revision: "0", createdAt: NOW.toISOString(), archivedFrom: "", archivedTip: "" },
  ...{ planVerdict: "", planReason: "", ownsBranch: true, acceptedFailures: [], ...NO_PUSH },
  phases: ["a", "b"].map((id) => ({ ...pendingPhase(id, `p-${id}`, NOW), ...WAITS })),
};

test("of several decisions about a phase that nobody has taken the last one counts", () => {
  const home = nebulaHome(aFolder({}), BEGUN.id);
  const told: unknown[] = [];
  const leave = (second: number, verb: Decision["verb"], phase: string): void => {
    const about = { phase, attempt: 1, digest: DIGEST, reason: "", isFinal: true };
    leaveNote(home.inbox, { verb, ...about }, new Date(second * 1000));
  };
  leave(1, "reject", "a");
  leave(2, "approve", "b");
  leave(3, "approve", "a");
  leave(4, "reject", "b");
  createState(home, BEGUN);
  const store = openState(home, () => NOW);
  const spec = aSpec({ a: [], b: [] });
  const tell = (event: { readonly type: string }): void => void told.push(event.type);
  takeDecisions({ home, store, spec, tell, now: () => NOW, inLane: new Set() });
  expect(store.current.phases.map(({ status }) => status)).toEqual(["queued", "failed"]);
  expect(told).toEqual(["decision", "decision"]);
  expect(readdirSync(home.inbox)).toEqual([]);
});

test("the event of a retry says whether the run continues with its review", () => {
  const home = nebulaHome(aFolder({}), BEGUN.id);
  const about = { phase: "a", attempt: 1, digest: "", reason: "", isFinal: false };
  leaveNote(home.inbox, { verb: "retry", ...about }, NOW);
  const [a, b] = BEGUN.phases;
  if (a === undefined || b === undefined) throw new Error("there are two");
  createState(home, { ...BEGUN, phases: [{ ...a, status: "failed", isReviewLeft: true }, b] });
  const store = openState(home, () => NOW);
  const told: unknown[] = [];
  const spec = aSpec({ a: [], b: [] });
  const tell = (event: unknown): void => void told.push(event);
  takeDecisions({ home, store, spec, tell, now: () => NOW, inLane: new Set() });
  expect(told).toMatchObject([{ type: "decision", verb: "retry", isResumed: true }]);
});
