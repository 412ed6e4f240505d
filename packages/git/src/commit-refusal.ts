/** Why a commit was not made, and what was said. */
export interface CommitRefusal {
  /**
   * `stage`: git does not take a file as it is. `pre-commit`: a hook refused the changes. `commit-msg`: one
   * refused the message. `signing`: no signature could be made. `git`: anything else, such as a lock or a
   * full disk.
   */
  readonly by: "stage" | "pre-commit" | "commit-msg" | "signing" | "git";
  /** What git and the hook printed, cleaned; of a flood the beginning and the end. */
  readonly output: string;
}
