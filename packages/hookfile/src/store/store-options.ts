import type { FileSystem, Random } from "@quasar/durable";
import type { Verdict } from "@quasar/receipts";
import type { HookFile } from "./hook-file.ts";
import type { Problem } from "../problem.ts";

export interface HookFileStoreOptions {
  /** The task's folder. Created (0700) by `create`. */
  readonly dir: string;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
  /**
   * What verification finds now, by receipt id: for HOOK.md. Where it throws, none is verified.
   *
   * @default none is verified
   */
  readonly verdicts?: ((hook: HookFile) => ReadonlyMap<string, Verdict>) | undefined;
  /**
   * What is wrong with the receipts taken together, in words: for HOOK.md. Where it throws, nothing is.
   *
   * @default nothing is
   */
  readonly receiptProblems?: ((hook: HookFile) => readonly string[]) | undefined;
  /** Of the program, for HOOK.md. @default "0.0.0" */
  readonly version?: string | undefined;
  /** How long to wait for the lock, in ms. @default 10_000 */
  readonly lockTimeoutMs?: number | undefined;
  readonly fs?: FileSystem | undefined;
  readonly random?: Random | undefined;
}

export interface OpenedHookFile {
  readonly hook: HookFile;
  /** Where it comes from: hook.json, hook.json and newer records, or the generation before. */
  readonly source: "current" | "rolled-forward" | "previous";
  /** What was wrong; empty when nothing was. */
  readonly problems: readonly Problem[];
}
