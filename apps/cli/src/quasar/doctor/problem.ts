import type { UserFolders, Workspace } from "@quasar/runs";

/** Where a doctor looks. */
export interface Ground {
  readonly workspace: Workspace;
  readonly folders: UserFolders;
}

/** Something that is not as it should be. */
export interface Problem {
  /** For a person; hostile text in it is not cleaned yet. */
  readonly message: string;
  /** What can be done about it without losing anything; `undefined` where that takes a person. */
  readonly fix?: { readonly does: string; readonly run: () => void | Promise<void> } | undefined;
  /** What a person can do. */
  readonly next: readonly string[];
}
