import { constants } from "node:fs";
import { basename, join } from "node:path";
import type { FileSystem } from "@quasar/durable";
import {
  createDisk,
  type CrashReport,
  exploreCrashes,
  type ExploreCrashesOptions,
  type SimulatedFileSystem,
  type Value,
} from "@quasar/durable/testing";
import type { DiskCall } from "./disk-calls.ts";

const { O_CREAT, O_TRUNC, O_WRONLY } = constants;

/** Does on a simulated disk what a program did on a real one. */
function perform(fs: FileSystem, call: DiskCall): void {
  switch (call.type) {
    case "create":
      fs.close(fs.open(call.path, O_WRONLY | O_CREAT | (call.truncates ? O_TRUNC : 0), 0o600));
      return;
    case "write": {
      const fd = fs.open(call.path, O_WRONLY, 0);
      const size = fs.fstat(fd).size;
      const offset = call.offset ?? size;
      if (offset > size) throw new Error(`a write beyond the end of ${call.path}`);
      fs.read(fd, new Uint8Array(offset), 0, offset);
      fs.write(fd, call.bytes, 0, call.bytes.length);
      fs.close(fd);
      return;
    }
    case "rename":
      return fs.rename(call.from, call.to);
    case "link":
      return fs.link(call.from, call.to);
    case "unlink":
      return fs.unlink(call.path);
    case "mkdir":
      return fs.mkdir(call.path, 0o700);
    case "sync": {
      const fd = fs.open(call.path, constants.O_RDONLY);
      fs.fsync(fd);
      fs.close(fd);
      return;
    }
    case "sync-all":
      for (const path of pathsBelow(fs, "/")) perform(fs, { type: "sync", path });
      return;
    case "act":
    case "spawn":
  }
}

/** A folder after all that is in it. */
function pathsBelow(fs: FileSystem, path: string): readonly string[] {
  if (fs.lstat(path)?.kind !== "directory") return [path];
  const within = fs.readdir(path).flatMap((name) => pathsBelow(fs, join(path, name)));
  return [...within, path];
}

/** Whether a program has acted on what was there before a call, in that way. */
function isAct(call: DiskCall, act: Act): boolean {
  switch (act) {
    case "any":
      return call.type === "act" || call.type === "spawn";
    case "runner":
      return call.type === "act";
    case "spawn":
      return call.type === "spawn";
    case "save":
      return call.type === "rename" && basename(call.to) === "checkpoint.toml";
  }
}

/**
 * The program says something or starts a process, or another process of it starts one; the first alone; the
 * second alone; a checkpoint is saved.
 */
export type Act = "any" | "runner" | "spawn" | "save";

/** What is on the disk in the end, were there no crash. */
export function replayed(calls: readonly DiskCall[]): SimulatedFileSystem {
  const fs = createDisk().connect();
  for (const call of calls) perform(fs, call);
  return fs;
}

export interface ExploreTraceOptions
  extends Pick<ExploreCrashesOptions, "observe" | "mutate" | "models" | "statesPerPoint"> {
  readonly calls: readonly DiskCall[];
  /** What the next process does after a crash, before it acts on what it found. */
  readonly recover: (fs: FileSystem, random: (size: number) => Uint8Array) => void;
  /** What counts as an act. @default "any" */
  readonly act?: Act | undefined;
}

/**
 * Cuts the power after each call of a traced program, and judges every state that each model allows:
 * it must be one that the program has acted upon last, or made since.
 */
export function exploreTrace(options: ExploreTraceOptions): CrashReport {
  const { calls, observe, recover, act = "any" } = options;
  const fs = createDisk().connect();
  const values = calls.map((call): Value => {
    perform(fs, call);
    return observe(fs);
  });
  return exploreCrashes({
    ...options,
    seed: 1,
    maxStates: Number.POSITIVE_INFINITY,
    maxRounds: 1,
    workload: (process) => {
      let last: Value;
      for (const [at, call] of calls.entries()) {
        const value = values[at];
        if (value !== last) process.begin(value);
        perform(process.fs, call);
        if (isAct(call, act)) process.acknowledge(value);
        last = value;
      }
    },
    resume: (process) => {
      recover(process.fs, process.random);
      // What others act upon, the next process only reads: what it decides is in the checkpoint.
      if (act !== "spawn") process.acknowledge(observe(process.fs));
    },
  });
}
