import { expect, test } from "vitest";
import { nebulaCost } from "../src/state/cost.ts";
import { agentsOf, aPlace, MANIFEST, phase, type Place, type Work, write } from "./place.ts";

const IDS = ["a", "b", "c", "d"];
const FILES = {
  "nebula.toml": `${MANIFEST}[execution]\nmax_workers = 3\nmax_budget_usd = 2.5\n`,
  ...Object.fromEntries(IDS.map((id) => [`${id}.md`, phase(id)])),
};
const WORK: Work = Object.fromEntries(
  IDS.map((id) => [`Phase ${id}`, (tree: string) => write(tree, { [id]: id })]),
);
const apply = (place: Place, totalUsd: number, coderUsd: number) =>
  place.apply(WORK, {
    limits: { maxWorkers: 3, totalUsd, phaseUsd: 5 },
    optionsOf: agentsOf(WORK, coderUsd),
  });

test("a total is one for all phases: what is too little for the next one stops the nebula, and more continues it", async () => {
  const place = aPlace({}, FILES);
  // Two phases use nearly all that they may; the rest is less than a fifth of what the next one may.
  const { reason, state } = await apply(place, 4.979, 2.23);
  expect(reason).toBe("budget");
  const { totalUsd } = await nebulaCost(`${place.repo}/.git`, state);
  expect(totalUsd).toBeCloseTo(4.48);
  const open = state.phases.filter(({ status }) => status === "pending");
  expect(open).toHaveLength(2);
  // Nothing is set apart any more for what has landed.
  expect(state.phases.map(({ reservedUsd }) => reservedUsd)).toEqual([0, 0, 0, 0]);
  expect((await apply(place, 20, 2.23)).reason).toBe("done");
});

test("a fifth of what a phase may spend stays set apart until it has landed", async () => {
  const manifest = `${FILES["nebula.toml"]}gate = "review"\n`;
  const place = aPlace({}, { "nebula.toml": manifest, "a.md": phase("a") });
  const { reason, state } = await apply(place, 10, 0.3);
  expect(reason).toBe("waiting");
  // The coder's 0.30 and the reviewer's 0.01, and a fifth of 2.50.
  expect(state.phases[0]?.reservedUsd).toBeCloseTo(0.81);
});

test("what a phase does not need is there for the next one", async () => {
  const place = aPlace({}, FILES);
  expect((await apply(place, 2.6, 0.01)).reason).toBe("done");
});

test("a phase whose run is refused fails with the reason, and is tried again with more", async () => {
  const place = aPlace(
    {},
    { ...FILES, "nebula.toml": `${MANIFEST}[execution]\nmax_budget_usd = 0.001\n` },
  );
  const { reason, state } = await apply(place, 0, 0.01);
  expect(reason).toBe("failed");
  expect(state.phases[0]?.reason).toContain("$");
});
