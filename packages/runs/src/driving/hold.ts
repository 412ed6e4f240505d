import type { Lock } from "@quasar/durable";
import { RunsError } from "../errors.ts";
import { describe, lockHolder } from "./lock.ts";
import type { Workspace } from "../workspace.ts";

/** A runner's hold on the lock of its work tree, which a person or an agent may have removed. */
export class Hold {
  readonly #lock: Lock;
  readonly #workspace: Workspace;
  readonly #onRetaken: () => void;
  #isLost = false;

  /** @param onRetaken - The lock file was removed, and is this process's again: nobody came between. */
  constructor(lock: Lock, workspace: Workspace, onRetaken: () => void) {
    this.#lock = lock;
    this.#workspace = workspace;
    this.#onRetaken = onRetaken;
  }

  /** Whether this process still drives. Once it does not, it never does again. */
  isHeld(): boolean {
    if (this.#isLost) return false;
    if (this.#lock.isCurrent()) return true;
    this.#isLost = !this.#lock.retake();
    if (!this.#isLost) this.#onRetaken();
    return !this.#isLost;
  }

  /** @throws {RunsError} `ERR_LOCKED` where another process drives, or may. */
  require(): void {
    if (!this.isHeld()) throw this.lost();
  }

  /** What there is to say where another process drives, or may. */
  lost(runId?: string): RunsError {
    const holder = lockHolder(this.#workspace);
    const who = holder === undefined ? "another process" : describe(holder);
    const message =
      `the lock of this work tree was removed while this command worked, and taken by ${who}; ` +
      "this command stopped: it wrote nothing more and ended no agent";
    return new RunsError("ERR_LOCKED", message, { next: continuedBy(runId) });
  }

  release(): void {
    this.#lock.release();
  }
}

/** What a person types after a runner has stepped back. */
export function continuedBy(runId: string | undefined): readonly string[] {
  const resume = runId === undefined ? "quasar resume" : `quasar resume ${runId}`;
  return ["quasar status   (who works on it now)", `${resume}   (once nobody does)`];
}
