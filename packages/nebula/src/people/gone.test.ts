import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { aFolder, aPhase, MANIFEST } from "../../test/a-nebula.ts";
import { updateNebula } from "./update-nebula.ts";
import { loadNebula } from "../spec/load.ts";
import { nebulaHome } from "../state/home.ts";
import { type NebulaState, NO_PUSH, pendingPhase } from "../state/state.ts";
import { openState } from "../state/store.ts";
import { answerPhase } from "./answer.ts";
import { decidePlan } from "./plan-gate.ts";

const NOW = new Date(0);
const WAITS = { status: "awaiting_human", question: "land" } as const;
/** As a person was shown it. */
const SHOWN: NebulaState = {
  ...{ id: "abcdefghij", name: "demo", branch: "nebula/demo", dir: "/n", base: "0".repeat(40) },
  ...{ revision: "0", createdAt: NOW.toISOString(), archivedFrom: "", archivedTip: "" },
  ...{ planVerdict: "", planReason: "", ownsBranch: true, acceptedFailures: [], ...NO_PUSH },
  phases: [{ ...pendingPhase("a", "p1-0", NOW), ...WAITS }],
};
const CALLS: readonly (readonly [name: string, call: (commonDir: string) => unknown])[] = [
  ["an answer", (dir) => answerPhase(dir, SHOWN, { verb: "skip", phase: "a" })],
  ["a word on its plan", (dir) => decidePlan(dir, SHOWN, { verb: "approve" })],
  [
    "an update",
    (dir) =>
      updateNebula(
        dir,
        SHOWN,
        loadNebula(aFolder({ "nebula.toml": MANIFEST, "a.md": aPhase("a") })),
      ),
  ],
  ["opening it", (dir) => openState(nebulaHome(dir, SHOWN.id), () => NOW)],
];

test.for(CALLS)("a nebula that was pruned meanwhile does not come back by %s", ([, call]) => {
  const commonDir = aFolder({});
  const { dir } = nebulaHome(commonDir, SHOWN.id);
  const gone = expect.objectContaining({ code: "ERR_NOT_FOUND" }) as Error;
  expect(() => call(commonDir)).toThrow(gone);
  expect(existsSync(dir)).toBe(false);
  // As where its folder goes between the lock and the state.
  mkdirSync(dir, { recursive: true });
  expect(() => call(commonDir)).toThrow(gone);
  expect(readdirSync(dir).filter((name) => !name.startsWith("lock"))).toEqual([]);
});
