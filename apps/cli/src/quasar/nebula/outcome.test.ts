import type { NebulaState } from "@quasar/nebula";
import { expect, test } from "vitest";
import { stepsOfPhase } from "./outcome.ts";

test("an id that looks like an option is none in the commands that are advised", () => {
  const phase = (id: string) => ({ id, status: "failed" }) as NebulaState["phases"][number];
  const nebula = { id: "abc" } as NebulaState;
  expect(stepsOfPhase(nebula, phase("--all"))).toEqual([
    "quasar nebula retry --nebula abc -- --all",
  ]);
  expect(stepsOfPhase(nebula, phase("a b"))).toEqual(["quasar nebula retry 'a b' --nebula abc"]);
});
