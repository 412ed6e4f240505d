import type { Described } from "../shared/command-line.ts";
import type { FlagValuesOf } from "../shared/config/table.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import type { Typed } from "../shared/typed.ts";
import type { AtlasSettings } from "./config/settings.ts";

/** A command as data: what its help says, what it takes, and what it does. */
export interface CommandSpec {
  /** As it is typed: `hook status`. */
  readonly name: string;
  /** Of the help; left out for the commands of a group of their own, such as `hook`. */
  readonly group?: string | undefined;
  /** A line for the list. */
  readonly summary: string;
  /** For its own help. @default the summary */
  readonly description?: string | undefined;
  readonly args?: readonly Described[] | undefined;
  readonly options?: readonly Described[] | undefined;
  /** Which settings are flags of it too. @default none */
  readonly settings?: readonly (keyof AtlasSettings)[] | undefined;
  readonly examples: readonly Described[];
  run(args: readonly (string | undefined)[], given: Given): Promise<ExitCode>;
}

/** What may be given to commands. */
export interface Given {
  readonly json?: true | undefined;
  readonly task?: string | undefined;
  readonly yes?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly flags: FlagValuesOf<AtlasSettings>;
  readonly typed: Typed;

  // start
  readonly file?: string | undefined;
  readonly workspace?: string | undefined;
  readonly here?: true | undefined;
  readonly acceptDirty?: true | undefined;
  readonly useLocal?: true | undefined;
  readonly fromTask?: string | undefined;
  readonly var?: readonly string[] | undefined;

  // decisions
  readonly feedback?: string | undefined;
  readonly final?: true | undefined;
  readonly reason?: string | undefined;
  readonly summary?: string | undefined;
  readonly tree?: string | undefined;
  readonly apply?: string | undefined;

  // checkpoint
  readonly trigger?: string | undefined;
  readonly auto?: true | undefined;

  // approve
  readonly acceptUnvalidated?: true | undefined;
  readonly acceptUncommitted?: true | undefined;
  readonly acceptUnpushed?: true | undefined;

  // verify
  readonly requirePass?: true | undefined;
  readonly key?: string | undefined;
  readonly receipts?: string | undefined;
  readonly head?: string | undefined;
  readonly require?: readonly string[] | undefined;

  // hook, cleanup, workspace, keys
  readonly format?: string | undefined;
  readonly hooks?: true | undefined;
  readonly retention?: string | undefined;
  readonly dryRun?: true | undefined;
  readonly force?: true | undefined;
  readonly all?: true | undefined;
}
