import type { Repository } from "@quasar/git";
import type { WorkspaceTask } from "./list-workspaces.ts";
import type { Workspace } from "./workspace.ts";

export interface EndWorkspaceOptions {
  readonly home: string;
  readonly name: string;
  readonly now: () => Date;
  /**
   * Also with tasks that have not ended, unless somebody drives them: their agents are ended, and uncommitted
   * work is snapshotted. @default false
   */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A workspace that nobody works in. */
export interface Ending {
  readonly options: EndWorkspaceOptions;
  readonly dir: string;
  readonly workspace: Workspace;
  readonly tasks: readonly WorkspaceTask[];
  /** `undefined` where it is gone. */
  readonly repository: Repository | undefined;
  /** The work tree; `undefined` where it is gone, and for the user's own. */
  readonly tree: Repository | undefined;
  readonly warnings: string[];
  /** Frees the tasks' locks. */
  dispose(): void;
}
