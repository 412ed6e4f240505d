import { join } from "node:path";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { tortureAtlas } from "../../src/torture/atlas/torture.ts";
import { formatKill, type Kill } from "@quasar/torture";
import { MAIN } from "./mutants.ts";

const atlas = join(MAIN, "../atlas.js");

/** Where work and record of it part, once for each thing that must happen once; `pnpm torture --of atlas` has all. */
const KILLS: readonly RegExp[] = [
  /^runner at ended git commit #1$/u,
  /^runner at write git hook: .*\/inbox\//u,
  /^everything at asked coder 1, step 1 #1$/u,
  /^runner at rename \S*\/heads\/\S* #[13]$/u,
  /^everything at ended git push #1$/u,
  /^runner at ended gh #2$/u,
  /^runner at rename \S*\/hook\.json #1 in command 2$/u,
];

const CHOSEN = sample(KILLS, 2, 2);

const isChosen = (kill: Kill): boolean => CHOSEN.some((name) => name.test(formatKill(kill)));

// SPEC.md, statements 2, 3, 4.
test("a bugfix that is killed where it commits, pushes, asks, signs, or is approved ends like one that never was", async () => {
  const { whole, trials } = await tortureAtlas({
    atlas,
    alike: true,
    points: (step, kind, life) => isChosen({ kind, step, ...(life > 0 && { life }) }),
  });
  expect(whole.lives.map(({ command, exitCode }) => [command.args[1], exitCode])).toEqual([
    ["start", 9],
    ["approve", 0],
  ]);
  expect(whole.facts).toMatchObject({
    checkpoints: { interval: 1, git_commit: 2, git_push: 1, pr_created: 1, validation: 1 },
    published: { pushes: 1, pullRequests: 1 },
  });
  expect(trials.length).toBeGreaterThanOrEqual(CHOSEN.length);
  const failed = trials.filter(({ deviations }) => deviations.length > 0);
  expect(failed.map(({ kills, deviations }) => [kills.map(formatKill), deviations])).toEqual([]);
}, 600_000);
