import type { ValidationReceipt } from "@quasar/receipts";
import type { ValidationCommand } from "../task-record.ts";

/** What came of one command. */
export interface CommandResult {
  readonly command: ValidationCommand;
  readonly receipt: ValidationReceipt;
  /** It was not run: the receipt is of an earlier time. */
  readonly isReused: boolean;
  /** The limit that it was ended for. */
  readonly limit?: "time" | "output" | undefined;
}

/** What came of a configuration's commands; `results` has those that were reached, in order. */
export type Round =
  | {
      readonly kind: "passed";
      /** Each has passed on what was there at the end. */
      readonly results: readonly CommandResult[];
      /** What changed while the commands ran, in words: nobody has reviewed that. */
      readonly changed: readonly string[];
    }
  | {
      readonly kind: "failed";
      readonly results: readonly CommandResult[];
      /** The last of them: none is run after it. */
      readonly failed: CommandResult;
    }
  /** What the commands passed on changed again and again: they have passed on nothing that is there. */
  | {
      readonly kind: "unsettled";
      readonly results: readonly CommandResult[];
      /** What changed, and what to do. */
      readonly message: string;
    }
  | { readonly kind: "interrupted" }
  /** A command could not be run: nothing is known of the code. */
  | { readonly kind: "broken"; readonly message: string; readonly storage: boolean };
