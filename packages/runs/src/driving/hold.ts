import type { Lock } from "@quasar/durable";
import { messageOf, RunsError } from "../errors.ts";
import type { NextStep } from "../next-step.ts";
import { cleanLine } from "../text/clean.ts";
import { describe, lockHolder } from "./lock.ts";
import type { Workspace } from "../workspace.ts";

/** A runner's hold on the lock of its work tree, which a person or an agent may have removed. */
export class Hold {
  readonly #lock: Lock;
  readonly #workspace: Workspace;
  readonly #onRetaken: () => void;
  #isLost = false;
  /** Why the lock cannot be taken anew; `undefined` where another process has come to it. */
  #obstacle: unknown;

  /** @param onRetaken - The lock file was removed, and is this process's again: nobody came between. */
  constructor(lock: Lock, workspace: Workspace, onRetaken: () => void) {
    this.#lock = lock;
    this.#workspace = workspace;
    this.#onRetaken = onRetaken;
  }

  /** Whether this process still drives. Once it does not, it never does again. Throws nothing. */
  isHeld(): boolean {
    if (this.#isLost) return false;
    let isCurrent = false;
    try {
      isCurrent = this.#lock.isCurrent();
      this.#isLost = !isCurrent && !this.#lock.retake();
    } catch (error) {
      // Who is in doubt steps back.
      this.#obstacle = error;
      this.#isLost = true;
    }
    if (!this.#isLost && !isCurrent) this.#onRetaken();
    return !this.#isLost;
  }

  /** @throws {RunsError} `ERR_LOCKED` where another process drives, or may. */
  require(): void {
    if (!this.isHeld()) throw this.lost();
  }

  /** What there is to say where another process drives, or may. */
  lost(runId?: string): RunsError {
    const message =
      `the lock of this work tree was removed while this command worked, and ${this.#now()}; ` +
      "this command stopped: it wrote nothing more and ended no agent";
    const cause = this.#obstacle;
    return new RunsError("ERR_LOCKED", message, { cause, next: continuedBy(runId) });
  }

  /** What has become of the lock. */
  #now(): string {
    if (this.#obstacle !== undefined) {
      return `cannot be taken again (${cleanLine(messageOf(this.#obstacle))})`;
    }
    const holder = lockHolder(this.#workspace);
    return `taken by ${holder === undefined ? "another process" : describe(holder)}`;
  }

  release(): void {
    this.#lock.release();
  }
}

/** What helps after a runner has stepped back. */
export function continuedBy(runId: string | undefined): readonly NextStep[] {
  return [
    { do: "show", note: "who works on it now" },
    { do: "resume", runId, note: "once nobody does" },
  ];
}
