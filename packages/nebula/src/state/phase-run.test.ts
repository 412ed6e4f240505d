import { expect, test } from "vitest";
import { phaseRef } from "./home.ts";
import { isTreeOfPhase } from "./phase-run.ts";
import { type NebulaState, NO_PUSH, pendingPhase } from "./state.ts";

function nebulaOf(id: string, phase: string): NebulaState {
  const phases = [pendingPhase(phase, phaseRef(1, phase), new Date(0))];
  const branch = { name: "demo", branch: "nebula/demo", archivedFrom: "", archivedTip: "" };
  const plan = { planVerdict: "", planReason: "" } as const;
  const rest = { ...plan, ...NO_PUSH, ownsBranch: true, acceptedFailures: [] };
  return { id, ...branch, ...rest, dir: "/d", base: "", revision: "", createdAt: "", phases };
}

test("a work tree is of the phase of its own nebula, not of another one's that is called the same", () => {
  const [one, other] = [nebulaOf("aaaaaaaaaa", "parser"), nebulaOf("bbbbbbbbbb", "parser")];
  const [phase] = one.phases;
  if (phase === undefined) throw new Error("there is no phase");
  for (const folder of ["/w/.repo.quasar/aaaaaaaaaa", "/state/trees/repo-aaaaaaaaaa"]) {
    const tree = `${folder}/${phase.ref}`;
    expect(isTreeOfPhase({ nebula: one, phase }, tree)).toBe(true);
    expect(isTreeOfPhase({ nebula: other, phase }, tree)).toBe(false);
    expect(isTreeOfPhase({ nebula: one, phase }, `${folder}/verify`)).toBe(false);
  }
});
