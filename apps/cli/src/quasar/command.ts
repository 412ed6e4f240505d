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

  // watch, nebula apply
  readonly plain?: true | undefined;

  // web
  readonly port?: string | undefined;

  // run, resume
  readonly watch?: true | undefined;

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

  // nebula apply
  readonly auto?: true | undefined;
  readonly base?: string | undefined;
  readonly branch?: string | undefined;
  readonly failFast?: true | undefined;
  readonly fresh?: true | undefined;
  readonly input?: boolean | undefined;
  readonly maxWorkers?: string | undefined;
  readonly mirror?: true | undefined;
  readonly resume?: true | undefined;
  readonly totalBudget?: string | undefined;
  readonly acceptRedBase?: true | undefined;

  // nebula approve, reject, retry, skip, diff
  readonly final?: true | undefined;
  readonly landed?: true | undefined;
  readonly nebula?: string | undefined;
  readonly reason?: string | undefined;

  // nebula update-base
  readonly withAgent?: true | undefined;

  // fleet
  readonly admin?: string | undefined;
  readonly dir?: string | undefined;
  readonly fleet?: string | undefined;
  readonly host?: string | undefined;
  readonly identityKey?: readonly string[] | undefined;
  /** One for a nebula, several for a worker. */
  readonly depot?: string | readonly string[] | undefined;
  readonly max?: string | undefined;
  readonly ttl?: string | undefined;

  // mcp
  readonly allow?: readonly string[] | undefined;
  readonly budgetCap?: string | undefined;
  readonly maxRunning?: string | undefined;
  readonly maxPerHour?: string | undefined;
  readonly printConfig?: string | undefined;

  // nebula validate
  readonly schema?: true | undefined;
  readonly strictConfig?: true | undefined;

  // prune
  readonly dryRun?: true | undefined;
  readonly olderThan?: string | undefined;
  readonly stopped?: true | undefined;
  readonly withFailed?: true | undefined;
}
