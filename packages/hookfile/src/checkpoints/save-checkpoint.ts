import { join } from "node:path";
import { type DurableOptions, replaceFile } from "@quasar/durable";
import { checkpointOf, type NewCheckpoint, newCheckpointId } from "./checkpoints.ts";
import { hiddenFiles } from "../store/exact-modes.ts";
import { TASK_FILES } from "../store/files.ts";
import type { FileSnapshot, HookFile, StepCheckpoint } from "../store/hook-file.ts";
import { snapshotFiles } from "../store/snapshot-files.ts";
import type { HookFileStore } from "../store/store.ts";
import type { HookInput } from "../transitions/transition-events.ts";
import { transition } from "../transitions/transitions.ts";

export interface SaveCheckpointOptions
  extends Pick<NewCheckpoint, "trigger" | "description" | "git" | "now">,
    DurableOptions {
  /** No checkpoint is made where this says no. @default always */
  readonly when?: ((hook: HookFile) => boolean) | undefined;
  /** More of the same moment, after it and in the same write. @default none */
  readonly also?: readonly Pick<NewCheckpoint, "trigger" | "description">[] | undefined;
  /** What comes of it, in the same write. @default nothing */
  readonly then?: readonly HookInput[] | undefined;
}

/**
 * Makes a checkpoint in one write of the store, with snapshots of the files that the current step has
 * touched; over 200 of them are an artifact. Returns the task after it.
 *
 * @throws {HookFileError} `ERR_INVALID_TRANSITION` where the task has ended; as `transition` and the store's `update`.
 */
export function saveCheckpoint(store: HookFileStore, options: SaveCheckpointOptions): HookFile {
  const { trigger, description, git, now, also = [], then = [], when, ...durable } = options;
  return store.update((hook) => {
    if (when?.(hook) === false) return undefined;
    const first = newCheckpointId(durable.random);
    const files = filesOf(store.dir, first, hook, durable);
    const marks = [{ trigger, description }, ...also].map((mark, index): HookInput => {
      const id = index === 0 ? first : newCheckpointId(durable.random);
      return {
        type: "checkpoint",
        checkpoint: checkpointOf(hook, { ...mark, ...files, id, git, now }),
      };
    });
    return transition(hook, [...marks, ...then], { now });
  });
}

/** More snapshots than this are an artifact. */
const MOST_FILES = 200;

function filesOf(
  dir: string,
  id: string,
  { currentStep, worktreePath }: HookFile,
  durable: DurableOptions,
): Pick<StepCheckpoint, "artifacts" | "filesSnapshot"> {
  if (currentStep?.filesTouched === undefined) return {};
  const filesSnapshot = snapshotFiles(worktreePath, currentStep.filesTouched);
  if (filesSnapshot.length <= MOST_FILES) return { filesSnapshot };
  const artifact = `snapshots/${id}.json`;
  const bytes = Buffer.from(`${JSON.stringify(filesSnapshot.map(onDisk))}\n`);
  const path = join(dir, TASK_FILES.artifacts, artifact);
  replaceFile(path, bytes, { ...durable, fs: durable.fs ?? hiddenFiles, keepPrevious: false });
  return { artifacts: [artifact] };
}

function onDisk({ path, size, modTime, sha256, exists }: FileSnapshot): object {
  return { path, size, mod_time: modTime, sha256, exists };
}
