import { expect, test } from "vitest";
import { noNebula } from "./no-nebula.ts";
import { pendingPhase } from "./state.ts";

const nebula = (id: string, name: string, ...phases: readonly string[]) => ({
  ...{ id, name },
  phases: phases.map((phase) => pendingPhase(phase, "p1-0", new Date(0))),
});

const ALL = [nebula("n1", "shop", "cart", "beta"), nebula("n2", "two", "beta")];

test.for([
  [
    "shpo",
    '; did you mean "shop"?',
    ["quasar nebula status n1 (shop)", "quasar nebula status n2 (two)"],
  ],
  ["else", "", ["quasar nebula status n1 (shop)", "quasar nebula status n2 (two)"]],
  ["cart", ': it is a phase of "shop"', ["quasar nebula show n1 cart"]],
  [
    "beta",
    ': it is a phase of "shop", "two"',
    ["quasar nebula show n1 beta", "quasar nebula show n2 beta"],
  ],
] as const)("for %s it says what may be meant", ([named, near, next]) => {
  const error = noNebula(named, ALL);
  expect(error.code).toBe("ERR_NOT_FOUND");
  expect(error.message).toBe(`there is no nebula "${named}" in this repository${near}`);
  const said = error.next.map((step) => `${step.shell}${step.note ? ` (${step.note})` : ""}`);
  expect(said).toEqual(next);
});

test("where there is none at all it leads to the demo", () => {
  for (const named of [undefined, "shop"]) {
    expect(noNebula(named, []).next).toEqual([{ shell: "quasar nebula demo", note: "shows one" }]);
  }
});

test("beside others it says which cannot be read", () => {
  const path = "/r/.git/quasar/nebulae/abcdefghij/state.toml";
  const { code, message, next } = noNebula("shpo", ALL, [
    { id: "abcdefghij", path, error: new Error("damaged") },
  ]);
  expect(code).toBe("ERR_NOT_FOUND");
  const where = "/r/.git/quasar/nebulae/abcdefghij";
  expect(message).toContain(`did you mean "shop"?; a nebula cannot be read: ${where} (damaged)`);
  expect(next.map(({ shell }) => shell)).toContain("quasar doctor");
});
