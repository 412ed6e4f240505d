/** What a phase's run was approved with. */
export interface Approved {
  readonly commit: string;
  /** What it was asked last. */
  readonly task: string;
}

/** What a run needs to continue, in US dollars; 0: that limit has not stopped it. */
export interface NeededByRun {
  readonly maxBudgetUsd: number;
  readonly maxTurnBudgetUsd: number;
}

/** What the run of an attempt has come to. */
export type Came =
  | ({ readonly as: "approved" } & Approved)
  | {
      readonly as: "failed";
      readonly reason: string;
      /** Which limits have stopped it. @default none has */
      readonly needed?: NeededByRun | undefined;
    }
  /** It cannot continue without answers. */
  | { readonly as: "asks"; readonly questions: readonly string[] }
  | { readonly as: "limited"; readonly agent: string; readonly limit: LimitMet }
  /** It was asked to stop, or could not begin. */
  | { readonly as: "interrupted" }
  /** The nebula is paused, or an agent's limit that is known stands: no turn began. */
  | { readonly as: "waits" };

/** An agent's usage limit, in its own words. */
export interface LimitMet {
  readonly message: string;
  /** RFC 3339; `undefined`: it has not said. */
  readonly retryAt?: string | undefined;
}
