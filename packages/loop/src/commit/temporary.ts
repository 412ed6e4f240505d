import type { DirtyPath } from "@quasar/git";

/** Whether a path is what an agent was writing: named so, and in no commit. */
export function isHalfWritten({ path, status }: DirtyPath): boolean {
  return isTemporary(path) && (status === "??" || status.startsWith("A"));
}

/** Whether a path is named as agents name the file that they write before they put it in another's place. */
function isTemporary(path: string): boolean {
  return /\.tmp\.\d+\.[0-9a-f]{12}$/u.test(path);
}
