import { NebulaError } from "@quasar/nebula";
import type { Edited } from "@quasar/nebula/internal";
import { expect, test } from "vitest";
import { editedAdvice, withEdited } from "./edited.ts";

const edited = (what: string) => ({ updates: [{ phase: "a", what }] }) as unknown as Edited;
const update = "quasar nebula update '/my nebulas/a'";

test.for([
  ["edited", edited("edited"), "its folder has changed since, and an update takes it over"],
  ["kept", edited("kept"), undefined],
  ["the same", undefined, undefined],
  ["another nebula", new NebulaError("ERR_USAGE", "is another"), undefined],
  [
    "not valid",
    new NebulaError("ERR_INVALID_NEBULA", "it is not valid"),
    "its folder has changed since, and an update is refused: it is not valid",
  ],
] as const)("of a folder that is %s a person reads what to do", ([, found, words]) => {
  expect(editedAdvice(found, "/my nebulas/a")?.words).toBe(words);
});

test("what takes it over stands first, and once", () => {
  const advice = editedAdvice(edited("edited"), "/my nebulas/a");
  expect(withEdited(advice, ["quasar nebula log", update])).toEqual([update, "quasar nebula log"]);
  expect(withEdited(undefined, [update])).toEqual([update]);
});
