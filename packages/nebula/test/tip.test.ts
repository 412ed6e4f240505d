import { openRepository } from "@quasar/git";
import { expect, test } from "vitest";
import type { Engine } from "../src/context/context.ts";
import { tipOf } from "../src/landing/tip.ts";
import { landedPhases, type NebulaState } from "../src/state/state.ts";
import { aPlace, MANIFEST, phase, WRITES_BOTH } from "./place.ts";

test("a landing that comes while the tip is read is not taken for one that was taken back", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") });
  const { state } = await place.apply(WRITES_BOTH);
  const [first, last] = landedPhases(state);
  place.git("update-ref", "refs/heads/nebula/demo", first?.candidate ?? "");
  const before: NebulaState = {
    ...state,
    phases: state.phases.filter(({ id }) => id !== last?.id),
  };
  const store = { current: before };
  const repository = await openRepository(place.repo);
  const { signal } = new AbortController();
  const reading = tipOf({ repository, store, signal } as unknown as Engine);
  store.current = state;
  expect(await reading).toBe(first?.candidate);
});
