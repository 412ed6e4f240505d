/** A path of the work tree that differs from HEAD. */
export interface DirtyPath {
  /** From the root of the work tree, `/` between parts, not quoted. */
  readonly path: string;
  /**
   * Git's two letters: index against HEAD, then work tree against index; `.` is unchanged. `??` is
   * untracked. A renamed file is two paths, one deleted and one added.
   */
  readonly status: string;
}
