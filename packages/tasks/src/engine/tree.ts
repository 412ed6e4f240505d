import type { Lock } from "@quasar/durable";
import type { EngineParts } from "./parts.ts";

/** The lock of the task's work tree: taken once it is there, kept as long as the task is driven. */
export interface HeldTree {
  isHeld(): boolean;
  /** Whether nobody else can have taken its lock since, though the lock file was removed. */
  isKept(): boolean;
  /** @throws {TasksError} `ERR_LOCKED` */
  lock(worktree: string): Promise<void>;
  release(): void;
}

export function holdTree(parts: Pick<EngineParts, "lockWorkTree">, taskId: string): HeldTree {
  let held: Lock | undefined;
  return {
    isHeld: () => held !== undefined,
    isKept: () => held === undefined || isKept(held),
    async lock(worktree) {
      held ??= await parts.lockWorkTree(worktree, taskId);
    },
    release: () => held?.release(),
  };
}

/** Whether a lock is still this process's: one whose file was removed is taken again where nobody came between. */
export function isKept(lock: Lock): boolean {
  return lock.isCurrent() || lock.retake();
}
