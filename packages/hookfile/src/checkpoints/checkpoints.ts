import { randomBytes } from "node:crypto";
import type { Random } from "@quasar/durable";
import type { Change } from "../store/entries.ts";
import type {
  CheckpointTrigger,
  FileSnapshot,
  HookFile,
  StepCheckpoint,
} from "../store/hook-file.ts";
import type { HookInput } from "../transitions/transition-events.ts";
import { transitionAll } from "../transitions/transitions.ts";

/** Where a work tree stands. */
export interface GitFacts {
  /** `""` when HEAD is detached. */
  readonly branch: string;
  /** HEAD; `undefined` while there is no commit. */
  readonly commit?: string | undefined;
  /** Whether anything is not committed. */
  readonly dirty: boolean;
}

export interface NewCheckpoint {
  /** Of {@link newCheckpointId}. */
  readonly id: string;
  readonly trigger: CheckpointTrigger;
  /** Of its first line 500 characters are kept. */
  readonly description: string;
  readonly git: GitFacts;
  readonly filesSnapshot?: readonly FileSnapshot[] | undefined;
  readonly artifacts?: readonly string[] | undefined;
  readonly now: Date;
}

/**
 * A step checkpoint as a change for the store, in any state but those in which the task has ended.
 *
 * It belongs to the step that is current before `then` happens, so that the checkpoint of a step's end
 * is of that step; without a current step its step is `""`, -1.
 *
 * @param then - What comes of it, in the same change: all of it happens, or none.
 * @throws {HookFileError} `ERR_INVALID_TRANSITION` where the task has ended; and as `transition`.
 * @see SPEC.md, "Checkpoints"
 */
export function createCheckpoint(
  hook: HookFile,
  created: NewCheckpoint,
  then: readonly HookInput[] = [],
): Change {
  const checkpoint = checkpointOf(hook, created);
  return transitionAll(hook, [{ type: "checkpoint", checkpoint }, ...then], { now: created.now });
}

/** A checkpoint of the step that is current. */
export function checkpointOf(hook: HookFile, created: NewCheckpoint): StepCheckpoint {
  const { id, trigger, description, git, filesSnapshot, artifacts, now } = created;
  const { stepName = "", stepIndex = -1 } = hook.currentStep ?? {};
  return {
    checkpointId: id,
    createdAt: now.toISOString(),
    stepName,
    stepIndex,
    description: firstLine(description),
    trigger,
    gitBranch: git.branch,
    ...(git.commit !== undefined && { gitCommit: git.commit }),
    gitDirty: git.dirty,
    ...(artifacts !== undefined && { artifacts }),
    ...(filesSnapshot !== undefined && { filesSnapshot }),
  };
}

/** `ckpt-` and 16 random hex digits. */
export function newCheckpointId(random: Random = randomBytes): string {
  return `ckpt-${Buffer.from(random(8)).toString("hex")}`;
}

const LONGEST = 500;

function firstLine(text: string): string {
  const [line = ""] = text.trimStart().split(/[\r\n]/, 1);
  const characters = Array.from(line.slice(0, 2 * LONGEST + 2));
  if (characters.length <= LONGEST) return line.trimEnd();
  return `${characters.slice(0, LONGEST - 1).join("")}…`;
}
