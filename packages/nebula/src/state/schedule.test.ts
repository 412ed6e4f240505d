import { expect, test } from "vitest";
import { parseNebula } from "../spec/parse.ts";
import type { PhaseSpec } from "../spec/types.ts";
import { pendingPhase, type PhaseState } from "./state.ts";
import { laneTurn, type Phase, readyPhases } from "./schedule.ts";

function aPhase(): PhaseSpec {
  const text = '+++\nid = "a"\ntitle = "A"\n+++\nDo it.\n';
  const manifest = '[nebula]\nname = "a"\n';
  const { spec } = parseNebula({ manifest, phases: [{ file: "a.md", text }], problems: [] });
  const [phase] = spec?.phases ?? [];
  if (phase === undefined) throw new Error("the phase is not valid");
  return phase;
}

/** Phases that need nothing. @param onScope - Called each time that a scope is read. */
function independent(count: number, onScope: () => void = () => {}): readonly Phase[] {
  const phase = aPhase();
  return Array.from({ length: count }, (_, n) => {
    const id = `p${n}`;
    const scope = [`${Math.floor(n / 2)}.txt`];
    const read = (): readonly string[] => {
      onScope();
      return scope;
    };
    const spec: PhaseSpec = Object.defineProperty({ ...phase, id }, "scope", { get: read });
    return { spec, state: pendingPhase(id, `${id}-00000000`, new Date()) };
  });
}

const idsOf = (phases: Iterable<Phase>): readonly string[] =>
  Array.from(phases, ({ spec }) => spec.id);

test("no two that may change the same file are ready at once, with each other or with one at work", () => {
  expect(idsOf(readyPhases(independent(6), new Set()))).toEqual(["p0", "p2", "p4"]);
  expect(idsOf(readyPhases(independent(6), new Set(["p3"])))).toEqual(["p0", "p4"]);
});

test("of many phases only so many are compared as are begun", () => {
  const comparedFor = (count: number): number => {
    let reads = 0;
    const ready = readyPhases(
      independent(count, () => {
        reads += 1;
      }),
      new Set(),
    );
    expect([ready.next().value?.spec.id, ready.next().value?.spec.id]).toEqual(["p0", "p2"]);
    return reads;
  };
  expect(comparedFor(5000)).toBe(comparedFor(5));
});

test("in the order of the plan what a person holds, and what needs it, does not keep others from landing", () => {
  const one = (id: string, dependsOn: readonly string[], change: Partial<PhaseState>): Phase => ({
    spec: { ...aPhase(), id, dependsOn },
    state: { ...pendingPhase(id, `${id}-00000000`, new Date()), ...change },
  });
  const approved = one("d", [], { status: "queued", seq: 1 });
  const held = [
    one("a", [], { status: "awaiting_human", question: "land" }),
    one("b", ["a"], {}),
    one("c", ["b"], {}),
  ];
  expect(laneTurn([...held, approved], "plan")).toEqual({ kind: "land", phase: approved });
  const working = one("e", [], { status: "running" });
  expect(laneTurn([...held, working, approved], "plan")).toEqual({ kind: "wait", phase: working });
});
