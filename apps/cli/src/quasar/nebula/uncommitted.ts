import { dirtyPaths } from "@quasar/git";
import { count } from "@quasar/runs/text";
import { relative, sep } from "node:path";

/** How many changes of the user's phases do not see, those of the nebula's own folder left out. */
export async function uncommittedBeside(root: string, dir: string): Promise<number> {
  const own = `${relative(root, dir).split(sep).join("/")}/`;
  const dirty = await dirtyPaths(root);
  return dirty.filter(({ path }) => !path.startsWith(own)).length;
}

/** That they are not part of a nebula; `""` where there are none. */
export function uncommittedWords(changes: number): string {
  if (changes === 0) return "";
  return `${count(changes, "uncommitted change")} ${changes === 1 ? "is" : "are"} not part of it`;
}
