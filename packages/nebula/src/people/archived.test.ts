import { expect, test } from "vitest";
import { aFolder, aPhase, MANIFEST } from "../../test/a-nebula.ts";
import { updateNebula } from "./update-nebula.ts";
import { loadNebula } from "../spec/load.ts";
import { keepSpec } from "../state/copy.ts";
import type { AgentQuestion } from "../question.ts";
import { nebulaHome } from "../state/home.ts";
import { type NebulaState, NO_PUSH, pendingPhase } from "../state/state.ts";
import { createState, loadState } from "../state/store.ts";
import { lockEngine } from "../state/lock.ts";
import { answerPhase } from "./answer.ts";
import { answerQuestion } from "./answer-question.ts";
import { decidePlan } from "./plan-gate.ts";
import { keepQuestion } from "./question-files.ts";

const NOW = new Date(0);
const GATED = `${MANIFEST}[execution]\ngate = "approve"\n`;
const QUESTION: AgentQuestion = {
  ...{ id: "q-1a2b3c4d", phase: "a", attempt: 1, runId: "r", turnId: "r.1" },
  ...{ role: "coder", kind: "ambiguity" },
  ...{ cycle: 1, summary: "which", detail: "", options: [] },
  askedAt: NOW.toISOString(),
};

/** A nebula in whose place another one was begun. */
function archived() {
  const commonDir = aFolder({});
  const home = nebulaHome(commonDir, "abcdefghij");
  const revision = keepSpec(home, loadNebula(folderOf("Do it.")));
  const state: NebulaState = {
    ...{ id: "abcdefghij", name: "demo", branch: "nebula/demo.x", dir: "/n" },
    ...{ base: "0".repeat(40), revision, createdAt: NOW.toISOString() },
    ...{ archivedFrom: "nebula/demo", archivedTip: "", planVerdict: "asked", planReason: "" },
    ...{ ownsBranch: true, acceptedFailures: [], ...NO_PUSH },
    phases: [
      { ...pendingPhase("a", "p1-0", NOW), questions: [QUESTION.id] },
      { ...pendingPhase("b", "p2-0", NOW), status: "awaiting_human", question: "land" },
    ],
  };
  createState(home, state);
  keepQuestion(home, QUESTION);
  return { commonDir, home, state };
}

const folderOf = (body: string): string =>
  aFolder({ "nebula.toml": GATED, "a.md": aPhase("a", "", body), "b.md": aPhase("b") });

type Call = (commonDir: string, state: NebulaState) => unknown;
const CALLS: readonly (readonly [name: string, call: Call])[] = [
  ["an approval", (dir, state) => answerPhase(dir, state, { verb: "approve", phase: "b" })],
  ["a skip", (dir, state) => answerPhase(dir, state, { verb: "skip", phase: "a" })],
  ["a word on its plan", (dir, state) => decidePlan(dir, state, { verb: "approve" })],
  [
    "an answer",
    (dir, state) => answerQuestion(dir, state, { question: QUESTION.id, text: "the first" }),
  ],
  ["an update", (dir, state) => updateNebula(dir, state, loadNebula(folderOf("Do more.")))],
];

test.for(CALLS)("an archived nebula refuses %s, and nothing changes", ([name, call]) => {
  const { commonDir, home, state } = archived();
  const why = "the nebula demo is archived: another one was begun in its place";
  const act = (): unknown => call(commonDir, state);
  const isRefused = (): void => {
    if (name === "an update") expect(act).toThrow(why);
    else expect(act()).toEqual({ kind: "refused", why });
    expect(loadState(home)).toEqual(state);
  };
  isRefused();
  if (name === "a word on its plan") return;
  const lock = lockEngine(home);
  isRefused();
  lock.release();
});
