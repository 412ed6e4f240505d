import type { AcpTurn } from "./acp/turn.ts";
import type { ChildSpec } from "./child.ts";
import type { OwnRewrite } from "./own-rewrites.ts";
import type { OutputKind } from "./reducers.ts";
import type { WatcherSpec } from "./watchers.ts";

/** What a supervisor is told on its standard input, as one line of JSON; then `go`, later `cancel`. */
export interface SupervisorSpec {
  readonly child: ChildSpec;
  /** What is talked about with an agent whose input depends on what it says; none: it gets its input at once. */
  readonly conversation?: AcpTurn | undefined;
  /** Where the turn's files are, up to their endings: `/…/turns/3`. */
  readonly files: string;
  /** Whose turn it is, kept for a process that comes later, in `.start`: nobody else can read it. */
  readonly agent: string;
  /** What the agent does by itself, and is undone when it has ended; none: nothing. */
  readonly rewrites?: readonly OwnRewrite[] | undefined;
  /** Kept there too. */
  readonly context: unknown;
  /** Who reads what the turn has cost while it works; none: nobody. */
  readonly watcher: WatcherSpec | undefined;
  /** What decides in its output; none: nothing, it is an answer. */
  readonly output: OutputKind | undefined;
  /** Values that never reach the disk. */
  readonly secrets: readonly string[];
  /** Whether the agent ends with its runner. */
  readonly leash: boolean;
  /** Whether the agent changes the work tree, which then is synced before its end is on record. */
  readonly writes: boolean;
}

export const GO = "go";
export const CANCEL = "cancel";

/** Exit code of a supervisor whose turn has been begun before. */
export const ALREADY_BEGUN = 3;
