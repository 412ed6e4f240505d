/** What a person types for uncommitted work that a ref keeps: in any work tree, it brings the changes there. */
export function bringBackCommand(ref: string): string {
  return `git cherry-pick -n ${ref}`;
}
