import { randomBytes } from "node:crypto";
import type { Random } from "@quasar/durable";
import type {
  CheckpointTrigger,
  FileSnapshot,
  HookFile,
  StepCheckpoint,
} from "../store/hook-file.ts";

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
 * A checkpoint of the step that is current: of a step's end it is made before the step ends. Without a
 * current step its step is `""`, -1.
 *
 * @see SPEC.md, "Checkpoints"
 */
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
