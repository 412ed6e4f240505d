import type { CommandSpecOf, GivenOf } from "../shared/command.ts";
import type { AtlasSettings } from "./config/settings.ts";

export type CommandSpec = CommandSpecOf<AtlasSettings, Given>;

/** What may be given to commands. */
export interface Given extends GivenOf<AtlasSettings> {
  readonly task?: string | undefined;
  readonly yes?: true | undefined;
  readonly trustConfig?: true | undefined;

  // start
  readonly file?: string | undefined;
  readonly workspace?: string | undefined;
  readonly here?: true | undefined;
  readonly acceptDirty?: true | undefined;
  readonly useLocal?: true | undefined;
  readonly fromTask?: string | undefined;
  readonly var?: readonly string[] | undefined;

  // resume
  readonly now?: true | undefined;

  // decisions
  readonly acceptSettings?: true | undefined;
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
  readonly acceptIgnored?: true | undefined;
  readonly acceptUnpushed?: true | undefined;

  // verify
  readonly requirePass?: true | undefined;
  readonly key?: string | undefined;
  readonly receipts?: string | undefined;
  readonly head?: string | undefined;
  readonly require?: readonly string[] | undefined;

  // log, diff, prune
  readonly stat?: true | undefined;
  readonly olderThan?: string | undefined;

  // hook, cleanup, workspace, keys
  readonly format?: string | undefined;
  readonly hooks?: true | undefined;
  readonly retention?: string | undefined;
  readonly dryRun?: true | undefined;
  readonly force?: true | undefined;
  readonly all?: true | undefined;
}
