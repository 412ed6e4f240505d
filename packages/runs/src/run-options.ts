import type { LoopOptions } from "@quasar/loop";
import type { ControlsOptions } from "@quasar/loop/internal";
import type { CompatibleIn } from "./compatibility.ts";
import type { RunEnd } from "./events.ts";
import type { KeptSettings } from "./store.ts";

/** What a run works by. What is left out is the loop's default, and at a resume what the run has. */
export interface RunOptions
  extends Pick<LoopOptions, "coder" | "reviewer">,
    Partial<
      Pick<
        LoopOptions,
        | "maxCycles"
        | "maxBudgetUsd"
        | "maxTurnBudgetUsd"
        | "lint"
        | "filters"
        | "judgeCommit"
        | "maxLintRetries"
        | "retries"
        | "detectStruggle"
        | "projectContext"
        | "checkEnv"
        | "commit"
        | "leash"
        | "ownsTree"
        | "mayBeginTurn"
        | "takeRefactor"
        | "people"
      >
    > {
  /** How long usage limits may be waited for before a turn succeeds again, in milliseconds. @default 0 */
  readonly waitLimitMs?: number | undefined;
  /** Kept with the run, under its seal: what its caller needs to resume it. @default nothing */
  readonly settings?: KeptSettings | undefined;
  /**
   * Paths in the work tree of files whose values are in no commit's message, as those of `.env*` files are not.
   * @default none
   */
  readonly secretFiles?: readonly string[] | undefined;
  /**
   * Where the checkpoint of each cycle is kept for other programs that know the format; it goes once the run is approved.
   * @default `checkpoint.toml` in the `.quasar` of the work tree
   */
  readonly compatibleIn?: CompatibleIn | undefined;
  /** What of a git hook is the caller's own, and counts for nothing when the run's hooks are compared. @default nothing */
  readonly withoutOwnHook?: ControlsOptions["withoutOwn"];
  /** Of a larger work that the run is a part of: what has changed since that began counts as the run's own. @default none */
  readonly largerControls?: ControlsOptions["larger"];
  /**
   * Called when it is known how the run ended, before that is noted: where nothing can be saved any more,
   * it is still heard of.
   */
  readonly onEnd?: ((end: RunEnd) => void | Promise<void>) | undefined;
}
