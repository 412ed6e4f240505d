import type { CommandSpecOf, GivenOf } from "../shared/command.ts";
import type { Settings } from "../shared/config/settings.ts";

export type CommandSpec = CommandSpecOf<Settings, Given>;

/** What may be given to commands. */
export interface Given extends GivenOf<Settings> {
  readonly all?: true | undefined;
  readonly fix?: true | undefined;
  readonly follow?: true | undefined;
  readonly keep?: true | undefined;
  readonly run?: string | undefined;
  readonly trustConfig?: true | undefined;
  readonly yes?: true | undefined;

  // log, diff
  readonly agent?: true | undefined;
  readonly stat?: true | undefined;

  // run, fork
  readonly at?: string | undefined;
  readonly file?: string | undefined;
  readonly new?: true | undefined;
  readonly trust?: true | undefined;
  readonly worktree?: true | undefined;

  // resume
  readonly acceptBranch?: true | undefined;
  readonly acceptDirty?: true | undefined;
  readonly acceptHead?: true | undefined;
  readonly acceptSettings?: true | undefined;
  readonly force?: true | undefined;
  readonly now?: true | undefined;
  readonly plan?: true | undefined;

  // prune
  readonly dryRun?: true | undefined;
  readonly olderThan?: string | undefined;
  readonly stopped?: true | undefined;
}
