import type { FlagValues } from "../../shared/config/layers.ts";

/** What may be typed with `quasar nebula apply`. */
export interface NebulaApplyOptions {
  readonly flags: FlagValues;
  readonly auto?: true | undefined;
  readonly resume?: true | undefined;
  readonly fresh?: true | undefined;
  readonly base?: string | undefined;
  readonly branch?: string | undefined;
  readonly maxWorkers?: string | undefined;
  readonly totalBudget?: string | undefined;
  readonly mirror?: true | undefined;
  readonly push?: true | undefined;
  readonly acceptRedBase?: true | undefined;
  readonly failFast?: true | undefined;
  readonly trust?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly acceptSettings?: true | undefined;
  /** `false`: nobody is asked anything. @default true */
  readonly input?: boolean | undefined;
  /** Lines, no screen. */
  readonly plain?: true | undefined;
  readonly json?: true | undefined;
  /** The server of a fleet that is to work on it. */
  readonly fleet?: string | undefined;
  readonly depot?: string | readonly string[] | undefined;
}
