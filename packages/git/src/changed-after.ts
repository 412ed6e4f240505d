import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { isGone } from "./errors.ts";

/**
 * Those of the paths that have changed after a moment, by the time of their last change of any kind, which
 * nobody can set. Of one that is gone it is that of the folder that is nearest.
 *
 * @param root - The top folder of the work tree.
 * @throws What `lstat` does, but for what is gone.
 */
export function changedAfter(
  root: string,
  paths: readonly string[],
  moment: Date,
): readonly string[] {
  return paths.filter((path) => changeTime(`${root}/${path}`) > moment.getTime());
}

function changeTime(path: string): number {
  try {
    return lstatSync(path).ctimeMs;
  } catch (error) {
    if (!isGone(error) || dirname(path) === path) throw error;
    return changeTime(dirname(path));
  }
}
