import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { endCgroups, makeCgroup } from "./cgroup.ts";
import { unlessHidden } from "./errno.ts";
import { exists } from "./exists.ts";
import { limitOf, type ListedProcess, type System } from "./platform.ts";

/**
 * Linux, by its `/proc`: start times are clock ticks since boot.
 *
 * @see proc(5)
 */
export const linux: System = {
  bootId() {
    boot ??= { id: bootAndSpace() };
    return boot.id;
  },
  look(pid) {
    const stat = statOf(pid);
    if (stat === undefined) return { state: exists(pid) ? "unknown" : "ended" };
    return stat.hasEnded ? { state: "ended" } : { state: "running", startTime: stat.startTime };
  },
  list() {
    const pids = unlessHidden(() => readdirSync("/proc"))?.filter((name) => /^\d+$/u.test(name));
    const all = pids?.map((pid) => ({ pid, environment: environmentOf(pid) }));
    return all?.map(({ pid, environment }) =>
      // A process that is about to become another program has none for a moment: all others were read since.
      listed(pid, environment.length === 0 ? environmentOf(pid) : environment),
    );
  },
  workTrees(pids) {
    const seen = pids.map(
      (pid) => [pid, unlessHidden(() => readlinkSync(`/proc/${pid}/cwd`))] as const,
    );
    return new Map(seen.filter((each): each is [number, string] => each[1] !== undefined));
  },
  contain: makeCgroup,
  endContained: endCgroups,
  openFiles() {
    const [, limit] = /^Max open files +(\S+)/mu.exec(read("/proc/self/limits") ?? "") ?? [];
    return limitOf(limit);
  },
  sync: (dir) => ({ args: ["-f", dir], isDone: true }),
};

let boot: { readonly id: string | undefined } | undefined;

/** Containers share a boot, and each counts its processes by itself: pid_namespaces(7). */
function bootAndSpace(): string | undefined {
  const id = read("/proc/sys/kernel/random/boot_id")?.trim();
  const space = unlessHidden(() => readlinkSync("/proc/self/ns/pid"));
  const [number] = /\d+/u.exec(space ?? "") ?? [];
  return id === undefined || number === undefined ? id : `${id}/${number}`;
}

function listed(pid: string, environment: Buffer): ListedProcess {
  return {
    pid: Number(pid),
    get parent() {
      return statOf(pid)?.parent ?? 0;
    },
    get group() {
      return statOf(pid)?.group ?? 0;
    },
    variable: (name) => valueIn(environment, name),
    variableNow: (name) => valueIn(environmentOf(pid), name),
  };
}

function environmentOf(pid: string): Buffer {
  // Nothing here waits for a disk: thread by thread it would take three times as long.
  return unlessHidden(() => readFileSync(`/proc/${pid}/environ`)) ?? Buffer.alloc(0);
}

function valueIn(environment: Buffer, name: string): string | undefined {
  const prefix = Buffer.from(`${name}=`);
  for (let at = environment.indexOf(prefix); at >= 0; at = environment.indexOf(prefix, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    return environment.toString("utf8", at + prefix.length, end < 0 ? undefined : end);
  }
  return undefined;
}

interface Stat {
  readonly parent: number;
  readonly group: number;
  readonly startTime: number;
  readonly hasEnded: boolean;
}

function statOf(pid: number | string): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is a name in parentheses that may hold anything, parentheses too.
  const [state, parent, group, ...more] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return {
    parent: Number(parent),
    group: Number(group),
    startTime: Number(more[16]),
    hasEnded: state === "Z" || state === "X",
  };
}

function read(path: string): string | undefined {
  return unlessHidden(() => readFileSync(path, "utf8"));
}
