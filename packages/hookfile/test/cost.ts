import { type FileSystem, nodeFileSystem } from "@quasar/durable";
import { createHookFiles, type HookFiles } from "../src/store/hook-files.ts";
import type { HookInput } from "../src/transitions/transition-events.ts";
import { transition } from "../src/transitions/transitions.ts";
import { aCheckpoint, aTask } from "./a-task.ts";

/** Bytes that went through a file system. */
export interface Traffic {
  read: number;
  written: number;
}

export function counting(fs: FileSystem, traffic: Traffic): FileSystem {
  return {
    ...fs,
    read: (fd, bytes, ...at) => {
      const count = fs.read(fd, bytes, ...at);
      traffic.read += count;
      return count;
    },
    write: (fd, bytes, offset, length) => {
      const count = fs.write(fd, bytes, offset, length);
      traffic.written += count;
      return count;
    },
  };
}

export interface GrowingTask {
  readonly files: HookFiles;
  readonly traffic: Traffic;
  /** Adds events, so many at once as one change, until the task has `count` of them. */
  growTo(count: number, atOnce: number): void;
}

/** A task to which checkpoints are added; growing it needs no flush. */
export function aGrowingTask(dir: string, fs: FileSystem = nodeFileSystem): GrowingTask {
  const traffic: Traffic = { read: 0, written: 0 };
  const now = (): Date => new Date();
  const files = createHookFiles({ dir, now, fs: counting(fs, traffic) });
  const quick = createHookFiles({ dir, now, fs: { ...fs, fsync: () => undefined } });
  files.makeFolder();
  files.create(aTask());
  const update = (inputs: readonly HookInput[]): void => {
    quick.update((hook) => transition(hook, inputs, { now: now() }));
  };
  update([{ type: "setup_complete" }, { type: "start_step", prompt: "Fix it.\n".repeat(200) }]);
  return {
    files,
    traffic,
    growTo(count, atOnce) {
      let events = quick.read()?.counts.events ?? 0;
      while (events < count) {
        const more = Math.min(atOnce, count - events);
        update(Array.from({ length: more }, (_, index) => anEvent(events + index)));
        events += more;
      }
    },
  };
}

export function anEvent(number: number): HookInput {
  const checkpoint = aCheckpoint({ checkpointId: `ckpt-${`${number}`.padStart(8, "0")}` });
  return { type: "checkpoint", checkpoint };
}

/** What one update and one opening cost on average. */
export interface Cost {
  readonly update: Traffic & { readonly ms: number };
  readonly open: Traffic & { readonly ms: number };
}

/**
 * Updates until two files of the history were filled, so that it does not matter how full the newest
 * one is; and opens the task after each.
 */
export function measure({ files, traffic }: GrowingTask): Cost {
  const costs = { update: zero(), open: zero() };
  const counted = (cost: Traffic & { ms: number }, act: () => number): number => {
    Object.assign(traffic, { read: 0, written: 0 });
    const start = performance.now();
    const file = act();
    cost.ms += performance.now() - start;
    cost.read += traffic.read;
    cost.written += traffic.written;
    return file;
  };
  const update = (): number =>
    files.update((hook) => transition(hook, [anEvent(hook.counts.events)], { now: new Date() }))
      .head?.file ?? 0;
  const open = (): number => files.open()?.hook.head?.file ?? 0;

  const first = update();
  while (update() === first);
  let count = 0;
  for (let file = first + 1; file < first + 3; count += 1) {
    file = counted(costs.update, update);
    counted(costs.open, open);
  }
  for (const cost of [costs.update, costs.open]) {
    cost.ms /= count;
    cost.read /= count;
    cost.written /= count;
  }
  return costs;
}

function zero(): Traffic & { ms: number } {
  return { read: 0, written: 0, ms: 0 };
}
