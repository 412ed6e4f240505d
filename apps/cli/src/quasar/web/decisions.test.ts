import type { NebulaFacts, NeedFacts } from "@quasar/nebula/facts";
import { expect, test } from "vitest";
import { aNebula, aPhase } from "../../../test/cockpit/facts.ts";
import { decisionsOf } from "./decisions.ts";

const DIGEST = "d".repeat(64);

const need = (kind: NeedFacts["kind"], more: Partial<NeedFacts> = {}): NeedFacts => {
  return { kind, phase: "a", text: "why", questionId: "", digest: "", ...more };
};

/** As `verb phase attempt digest question`. */
function offered(change: Partial<NebulaFacts>): readonly string[] {
  const nebula = aNebula({ status: "working", phases: [aPhase("a", { attempt: 2 })], ...change });
  return decisionsOf(nebula, () => "r1").map(({ verb, phase, attempt, digest, questionId }) =>
    [verb, phase, attempt, digest, questionId].join(" ").trim(),
  );
}

test.for<readonly [what: string, change: Partial<NebulaFacts>, decisions: readonly string[]]>([
  ["only a pause where nothing waits", { needs: [] }, ["pause  0"]],
  ["the end of a pause", { needs: [], status: "paused" }, ["continue  0"]],
  [
    "a verdict on the very change that waits",
    { needs: [need("land", { digest: DIGEST })] },
    [`approve a 2 ${DIGEST}`, `reject a 2 ${DIGEST}`, "pause  0"],
  ],
  [
    "a verdict on the plan as its files are",
    { needs: [need("plan", { phase: "" })] },
    ["approve  0 r1", "reject  0 r1", "pause  0"],
  ],
  [
    "an answer to each question",
    { needs: [need("agent", { questionId: "q-1" }), need("agent", { questionId: "q-2" })] },
    ["answer a 2  q-1", "answer a 2  q-2", "pause  0"],
  ],
  [
    "nothing of what is for a terminal",
    { needs: [need("failed"), need("rework"), need("budget")] },
    ["pause  0"],
  ],
  ["nothing of what is done", { needs: [], status: "done" }, []],
  ["nothing of what is archived", { needs: [need("land")], isArchived: true }, []],
])("offers %s", ([, change, decisions]) => {
  expect(offered(change)).toEqual(decisions);
});
