import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import type { FileSystem } from "@quasar/durable";
import {
  type SimulatedFileSystem,
  type SimulatedProcess,
  type Value,
  withoutSync,
} from "@quasar/durable/testing";
import { createCheckpointFiles, type CheckpointFiles } from "../src/checkpoint-files.ts";
import { createCheckpoint } from "../src/create.ts";
import { encodeCheckpoint } from "../src/encode.ts";
import { plainFileName } from "../src/file-name.ts";

const { O_CREAT, O_TRUNC, O_WRONLY } = constants;

export const DIR = "/git/runs";
export const FILE = `${DIR}/checkpoint.toml`;

/** So small that every third text has to go into an artifact. */
const maxBytes = 2200;

function open(disk: FileSystem, random?: SimulatedProcess["random"]): CheckpointFiles {
  const fs: FileSystem = {
    ...disk,
    // As a real disk does: the store uses its buffer again.
    write: (fd, bytes, offset, length) =>
      disk.write(fd, Uint8Array.from(bytes.subarray(offset, offset + length)), 0, length),
  };
  const sealKey = Buffer.alloc(32, 7);
  return createCheckpointFiles({ dir: DIR, fs, random, sealKey, maxBytes, now: () => new Date(0) });
}

/** Long for every third value of ours, and not the same for any two. */
function outputOf(value: string): string {
  const isLong = value.startsWith("v") && Number(value.slice(1)) % 3 === 0;
  return `${value}\n`.repeat(isLong ? 600 : 2);
}

/** Processes that save, remove and recover the checkpoint of one phase, for the explorer. */
export interface Phase {
  /** One to six saves and removals by one process, in random order. */
  readonly workload: (process: SimulatedProcess) => void;
  /** What a new process does: recovers, takes what it finds for the truth, and continues. */
  readonly resume: (process: SimulatedProcess) => void;
  /** What a reader finds: the value of the checkpoint, if it is whole with all its texts. */
  readonly observe: (fs: FileSystem) => Value;
}

/**
 * The Go original saves now and then, where its file counts: over ours where the names are the same,
 * else where there is none of ours.
 */
export function phaseOf(phaseId: string): Phase {
  const plain = plainFileName(phaseId);

  const observe = (fs: FileSystem): Value => {
    const loaded = open(fs).load(phaseId);
    if (loaded === undefined) return undefined;
    const { runId, coderOutput } = loaded.checkpoint;
    const seal = runId.startsWith("g") ? "none" : "valid";
    if (loaded.seal !== seal || coderOutput !== outputOf(runId)) throw new Error("a third state");
    return runId;
  };

  /**
   * A rename without a sync: nothing is promised until we recovered. Where no generation of ours could
   * take its place, the file is synced all the same: it is one that has been there for long. The
   * temporary name is new, since what a crash leaves under an old one could show through, and nothing
   * in the file would tell.
   */
  const saveLikeTheGoOriginal = (
    process: SimulatedProcess,
    files: CheckpointFiles,
    value: string,
  ): void => {
    const { fs } = process;
    const file = plain === undefined ? FILE : `${DIR}/${plain}`;
    const bytes = Buffer.from(
      encodeCheckpoint(createCheckpoint({ phaseId, runId: value, coderOutput: outputOf(value) })),
    );
    const temporary = `${file}.${value}.tmp`;
    change(process, value, () => {
      const fd = fs.open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o644);
      fs.write(fd, bytes, 0, bytes.length);
      if (plain !== undefined) fs.fsync(fd);
      fs.close(fd);
      fs.rename(temporary, file);
      files.recover();
    });
  };

  const work = (
    process: SimulatedProcess,
    files: CheckpointFiles,
    start: Value,
    count: number,
  ): void => {
    let version = 10 * Number(start?.slice(1) ?? 0);
    let isOurs = false; // where renames are not atomic, another tool's file may lose its only name
    let isNothing = false;
    for (let done = 0; done < count; done += 1) {
      const action = process.choose(7);
      const number = (version += 1 + process.choose(3));
      if (action === 0) change(process, undefined, () => files.remove(phaseId));
      else if (action === 1) files.recover();
      else if (action === 2 && (plain === undefined ? isOurs : isNothing)) {
        saveLikeTheGoOriginal(process, files, `g${number}`);
      } else {
        const runId = `v${number}`;
        const checkpoint = createCheckpoint({ phaseId, runId, coderOutput: outputOf(runId) });
        change(process, runId, () => files.save(checkpoint));
      }
      isOurs = action > 2;
      isNothing = action === 0;
    }
  };

  return {
    workload(process) {
      const files = open(process.fs, process.random);
      if (plain !== undefined) {
        process.fs.mkdir("/git", 0o700);
        process.fs.mkdir(DIR, 0o700);
        saveLikeTheGoOriginal(process, files, "g1");
      }
      work(process, files, plain === undefined ? undefined : "g1", 1 + process.choose(6));
    },

    resume(process) {
      const files = open(process.fs, process.random);
      const isHasty = process.choose(4) === 0; // one that saves without having looked
      const found = observe(process.fs);
      if (!isHasty) {
        files.recover();
        process.acknowledge(observe(process.fs));
      }
      work(process, files, found, process.choose(4));
    },

    observe,
  };
}

function change(process: SimulatedProcess, value: Value, act: () => void): void {
  process.begin(value);
  act();
  process.acknowledge(value);
}

/** A file system on which a step of a save or removal does not happen. */
export type Mutant = (fs: SimulatedFileSystem) => FileSystem;

function without(drop: (path: string, before: string) => boolean): Mutant {
  return (fs) => withoutSync(fs, ({ path, before }) => drop(path, before));
}

const ARTIFACTS = `${DIR}/artifacts`;
const isTemporary = (path: string): boolean => path.endsWith(".tmp");

/** @see SPEC.md, "Steps that are needed" */
export const MUTANTS: Readonly<Record<string, Mutant>> = {
  "the new file is not synced": without(
    (path) => path.startsWith(`${DIR}/.checkpoint`) && isTemporary(path),
  ),
  "the folder is not synced after the rename": without(
    (path, before) => path === DIR && before === `rename ${FILE}`,
  ),
  "the ancestors of a new folder are not synced": without(
    (path) => DIR.startsWith(path) && path !== DIR,
  ),
  "a removal is not synced": without((path, before) => path === DIR && before.startsWith("unlink")),
  "a recovery syncs no file": without((path) => path.startsWith(FILE)),
  "an artifact is not synced": without((path) => path.startsWith(ARTIFACTS) && isTemporary(path)),
  "the artifacts' folder is not synced": without((path) => path === ARTIFACTS),
  "the checkpoint is written before its artifact": (fs) => {
    const late: (() => void)[] = [];
    return {
      ...fs,
      rename: (from, to) => {
        if (to.startsWith(ARTIFACTS)) late.push(() => fs.rename(from, to));
        else {
          fs.rename(from, to);
          for (const rename of late.splice(0)) rename();
        }
      },
    };
  },
};
