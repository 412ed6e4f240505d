import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TASK_FILES } from "@quasar/hookfile";
import type { Place } from "../place.ts";
import type { Clock } from "../watcher.ts";
import { tasksOf } from "./observe.ts";

/** How often a checkpoint is made in a step: by the clock that strikes once. */
export const INTERVAL = "7m";

/** The timers of `atlas`, in ms: the interval's, the heartbeat's, the look at the work tree's. */
const TIMERS = [7 * 60_000, 15_000, 30_000];

/**
 * The one that a git hook's note starts. It never goes off: whether a look comes before it hangs on the machine, and
 * the look by the clock does the same.
 */
const OF_A_NOTE = 70;

const fileOf = ({ notes }: Place, ms: number): string => join(notes, `timer-${ms}`);

/** Each of {@link TIMERS} goes off once in a trial, whatever the machine has to do meanwhile. */
export function clockOf(place: Place): Clock {
  return Object.fromEntries([...TIMERS, OF_A_NOTE].map((ms) => [ms, fileOf(place, ms)]));
}

/** How long is waited for what the timers bring about: the runner may be dead. */
const LONGEST_MS = 2500;

/** Has all timers of a trial's runner go off, and waits until it shows. */
export async function strike(place: Place): Promise<void> {
  const files = TIMERS.map((ms) => fileOf(place, ms));
  for (const file of files) writeFileSync(file, "");
  const deadline = performance.now() + LONGEST_MS;
  const isOver = (): boolean => !files.some((file) => existsSync(file)) && hasShown(place);
  while (!isOver() && performance.now() < deadline) await sleep(20);
}

function hasShown(place: Place): boolean {
  return tasksOf(place).some((task) => {
    const hook = readFileSync(join(task, TASK_FILES.hook), "utf8");
    return hook.includes('"interval"') && hook.includes('"files_touched"');
  });
}
