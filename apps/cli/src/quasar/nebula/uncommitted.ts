import { dirtyPaths } from "@quasar/git";
import { MANIFEST_FILE } from "@quasar/nebula/internal";
import { count } from "@quasar/runs/text";
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** How many changes of the user's phases do not see, those of the folders of nebulae left out. */
export async function uncommittedBeside(root: string, dir: string): Promise<number> {
  const own = `${relative(root, dir).split(sep).join("/")}/`;
  const dirty = await dirtyPaths(root);
  const isOfNebula = (path: string): boolean =>
    path.startsWith(own) || existsSync(join(root, dirname(path), MANIFEST_FILE));
  return dirty.filter(({ path }) => !isOfNebula(path)).length;
}

/** That they are not part of a nebula; `""` where there are none. */
export function uncommittedWords(changes: number): string {
  if (changes === 0) return "";
  return `${count(changes, "uncommitted change")} ${changes === 1 ? "is" : "are"} not part of it`;
}
