import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { expect, test } from "vitest";
import { updateBase } from "../src/engine/update-base.ts";
import { answerPhase } from "../src/people/answer.ts";
import {
  aPlace,
  commonDir,
  MANIFEST,
  newest,
  phase,
  type Place,
  warnings,
  write,
} from "./place.ts";

/** A nebula of one phase whose set-up fails while a file is beside the repository. */
function aPlaceWith(more: string, setup: (down: string) => string): Place & { down: string } {
  const place = aPlace({}, { "a.md": phase("a") });
  const down = join(place.root, "down");
  const execution = `[execution]\nsetup = [${JSON.stringify(setup(down))}]\n${more}`;
  write(place.dir, { "nebula.toml": `${MANIFEST}${execution}` });
  return { ...place, down };
}

const fails = (down: string): string => `test ! -e ${down}`;
const failsOnce = (down: string): string => `test ! -e ${down} || { rm ${down}; exit 7; }`;
const VERIFIED = 'verify = ["true"]\n';

/** A coder whose change asks for another set-up, and who is done when the registry goes down. */
function worker({ root }: Place) {
  const turns: number[] = [];
  return {
    turns,
    work: {
      "Phase a": (tree: string) => {
        turns.push(turns.length + 1);
        write(tree, { "package.json": `{"n":${turns.length}}` });
        write(root, { down: "" });
      },
    },
  };
}

test("a set-up of a candidate that fails once is repeated, reported, and sends nobody back", async () => {
  const place = aPlaceWith(VERIFIED, failsOnce);
  const { work, turns } = worker(place);
  const { reason, state } = await place.apply(work);
  expect(reason).toBe("done");
  expect(existsSync(place.down)).toBe(false);
  expect(turns).toHaveLength(1);
  expect(state.phases[0]?.reworks).toEqual([]);
  expect(warnings(place)).toEqual([expect.stringMatching(/^set-up is repeated: .* exit 7/u)]);
});

test("a set-up that fails on the branch too is no phase's fault: a resume lands what was approved", async () => {
  const place = aPlaceWith(VERIFIED, fails);
  const { work, turns } = worker(place);
  const { reason, state } = await place.apply(work);
  expect(reason).toBe("red_base");
  expect(state.phases[0]).toMatchObject({ status: "landing", attempt: 1, reworks: [] });
  const tip = place.git("rev-parse", "nebula/demo");
  expect(place.told).toContainEqual({
    ...{ type: "base_verified", tip, outcome: "failed", failsSetUp: true },
    findings: [expect.stringMatching(/^\[verify\] setup: .* exit 1/u)],
  });
  const command = `once it works:\nquasar nebula apply ${state.id} --auto --resume`;
  expect(warnings(place).at(-1)).toContain(command);
  rmSync(place.down);
  expect((await place.apply(work)).reason).toBe("done");
  expect(turns).toHaveLength(1);
});

test("a merge that cannot be verified while set-up fails waits for a person, and lands by a retry", async () => {
  const place = aPlaceWith(VERIFIED, fails);
  expect((await place.apply(worker(place).work)).reason).toBe("red_base");
  write(place.repo, { "m.txt": "m\n" });
  place.git("add", "-A");
  place.git("commit", "-q", "-m", "On main");
  const update = { commit: place.git("rev-parse", "main"), name: "main", withAgent: true };
  await updateBase(await openRepository(place.repo), newest(place), update);
  const { reason, state } = await place.apply({});
  expect(reason).toBe("red_base");
  expect(state.phases.map(({ id, status }) => [id, status])).toEqual([
    ["a", "landing"],
    ["base-1", "awaiting_human"],
  ]);
  rmSync(place.down);
  answerPhase(commonDir(place), state, { verb: "retry", phase: "base-1" });
  expect((await place.apply({})).reason).toBe("done");
});

test("the set-up of a phase's own tree is repeated, and one that still fails says what a retry does", async () => {
  const place = aPlaceWith("", failsOnce);
  write(place.root, { down: "" });
  expect((await place.apply(worker(place).work)).reason).toBe("done");

  const broken = aPlaceWith("", () => "echo x >> ../tries; exit 3");
  const { reason, state } = await broken.apply({});
  expect(reason).toBe("failed");
  const why = "its work tree is not set up; a retry sets it up again: setup: echo x >> ../tries";
  expect(state.phases[0]?.reason).toContain(why);
  expect(warnings(broken)).toHaveLength(1);
});
