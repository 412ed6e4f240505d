import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TASK_FILES } from "@quasar/hookfile/internal";
import { type Clock, isAtWork, type Place } from "@quasar/torture";
import { tasksOf } from "./observe.ts";

/** How often a checkpoint is made in a step: by the clock that strikes once. */
export const INTERVAL = "7m";

/** The timers of `atlas`, in ms: the interval's, the heartbeat's, the look at the work tree's. */
const TIMERS = [7 * 60_000, 15_000, 30_000];

/**
 * They never go off, as it hangs on the machine what comes before: that of a git hook's note, for which the look by
 * the clock does the same, and that between two writes of what an agent is at, which the step's end writes.
 */
const NEVER = [70, 1500];

const fileOf = ({ notes }: Place, ms: number): string => join(notes, `timer-${ms}`);

/** Each of {@link TIMERS} goes off once in a trial, whatever the machine has to do meanwhile. */
export function clockOf(place: Place): Clock {
  return Object.fromEntries([...TIMERS, ...NEVER].map((ms) => [ms, fileOf(place, ms)]));
}

/** How long is waited for what the timers bring about, on a machine that has other work. */
const LONGEST_MS = 10_000;

/** Has all timers of a trial's runner go off, and waits until it shows, or the runner is dead. */
export async function strike(place: Place): Promise<void> {
  const files = TIMERS.map((ms) => fileOf(place, ms));
  for (const file of files) writeFileSync(file, "");
  const deadline = performance.now() + LONGEST_MS;
  const isOver = (): boolean => !files.some((file) => existsSync(file)) && hasShown(place);
  const isDriven = (): boolean => isAtWork(place.root, place.notes);
  while (!isOver() && isDriven() && performance.now() < deadline) await sleep(20);
}

function hasShown(place: Place): boolean {
  return tasksOf(place).some((task) => {
    const hook = readFileSync(join(task, TASK_FILES.hook), "utf8");
    return hook.includes('"interval"') && hook.includes('"files_touched"');
  });
}
