import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import type { HookFile } from "@quasar/hookfile";
import { aWorld, Killed, type World } from "./engine-world.ts";

/** Drives a task as often as it takes, with the person who approves it; kills it at these points. */
async function live(...kills: readonly number[]): Promise<World> {
  const world = aWorld();
  const left = [...kills];
  world.killAt(left.shift() ?? Number.POSITIVE_INFINITY);
  for (let drives = 0; drives < 10; drives += 1) {
    try {
      const { stopped, message } = await world.drive();
      if (stopped === "completed") return world;
      expect(message).toContain("(review)");
      world.happen({ type: "human_approve" });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      world.killAt(left.shift() ?? Number.POSITIVE_INFINITY);
    }
  }
  throw new Error("it does not come to its end");
}

/** The events of a history, all of them. */
function eventsOf(world: World): HookFile["history"] {
  return world.hook().history;
}

const isAgents = (effect: string): boolean => /^(turn|review) /.test(effect);
const isCommand = (effect: string): boolean => /^(validate|sign)/.test(effect);
const isNotice = (effect: string): boolean => effect.startsWith("notify ");

function counts(effects: readonly string[]): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  for (const effect of effects) counted.set(effect, (counted.get(effect) ?? 0) + 1);
  return counted;
}

function checkLaws(world: World, undisturbed: World, crashes: number): void {
  const { outside } = world;
  const hook = world.hook();
  const seen = counts(outside.effects);
  const extra: string[] = [];
  for (const [effect, count] of seen) for (let n = 1; n < count; n += 1) extra.push(effect);

  // Nothing is left out, nothing new is done, and of what the world sees nothing is done twice.
  const expected = new Set(undisturbed.outside.effects.filter((effect) => !isNotice(effect)));
  expect(new Set(outside.effects.filter((effect) => !isNotice(effect)))).toEqual(expected);
  expect(extra.filter((effect) => !isAgents(effect) && !isCommand(effect))).toEqual([]);
  // Of agents' turns and of commands only those that were interrupted.
  expect(extra.length).toBeLessThanOrEqual(crashes);
  expect(outside.commits).toEqual(undisturbed.outside.commits);

  // What is recorded as done is not started again.
  const done = new Set<string>();
  for (const { trigger, stepName = "" } of eventsOf(world)) {
    if (trigger === "start_step") expect(done).not.toContain(stepName);
    if (["step_complete", "validate_pass", "skip_step", "human_approve"].includes(trigger)) {
      done.add(stepName);
    }
  }
  expect(hook.steps.map(({ status }) => status)).not.toContain("pending");
  // Each commit has one checkpoint, each receipt is on record, and task.json says the same.
  const commits = hook.checkpoints.filter(({ trigger }) => trigger === "git_commit");
  expect(commits.map(({ gitCommit }) => gitCommit)).toEqual(outside.commits.map(({ sha }) => sha));
  const receipts = outside.signed.map(({ receipt }) => receipt.receiptId);
  expect(hook.receipts.map(({ receiptId }) => receiptId)).toEqual(receipts);
  const task = world.task();
  expect(task.status).toBe("completed");
  for (const step of hook.steps.filter(
    ({ status, type }) => status === "completed" && type !== "human",
  )) {
    const results = task.stepResults.filter(({ stepName }) => stepName === step.name);
    expect(results.at(-1)).toMatchObject({ attempt: step.attempts, status: "success" });
  }
}

/**
 * What a process leaves that is killed before it does something is what it leaves that is killed after the
 * last thing that it has done. So these are all the points that differ, but for the first, and two of
 * three after a write beside the hook file, which are much alike.
 */
function pointsAfter(world: World): readonly number[] {
  return world.points.flatMap((name, index) => {
    const isBeside = name === "after task.json" || name === "after artifact";
    return name.startsWith("after ") && (!isBeside || index % 3 === 0) ? [index + 1] : [];
  });
}

/** What is wrong with a task that was killed at these points. */
async function whatIsWrong(undisturbed: World, ...kills: readonly number[]): Promise<unknown> {
  const world = await live(...kills);
  try {
    checkLaws(world, undisturbed, kills.length);
    return undefined;
  } catch (cause) {
    return { kills, first: undisturbed.points[(kills[0] ?? 0) - 1], cause };
  }
}

// SPEC.md, statements 3, 4, 9.
test("killed at any one point, a task comes to the same end, nothing done twice, left out or lost", async () => {
  const undisturbed = await live();
  checkLaws(undisturbed, undisturbed, 0);
  const points = pointsAfter(undisturbed);
  for (const point of [1, ...sample(points, 12, Math.ceil(points.length / 8))]) {
    expect(await whatIsWrong(undisturbed, point)).toBeUndefined();
  }
}, 120_000);

test("killed again while it continues after a crash, it still does", async () => {
  const undisturbed = await live();
  for (const [index, first] of pointsAfter(undisturbed).entries()) {
    if (index % 6 !== 1) continue;
    // The second comes soon after the first, at another distance each time.
    expect(await whatIsWrong(undisturbed, first, 1 + ((index * 5) % 11))).toBeUndefined();
  }
}, 120_000);
