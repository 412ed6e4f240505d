import { realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { McpError } from "../errors.ts";

/**
 * A folder of the work tree, by a path relative to its top folder, as it really is.
 *
 * @throws {McpError} `ERR_ARGUMENT` where it is outside, by itself or by a link, in a git folder, or not there.
 */
export function folderInside(root: string, given: string): string {
  const from = realpathSync(root);
  const path = given.includes("\0") ? undefined : realOf(resolve(from, given));
  if (path === undefined || !isInside(from, path)) {
    throw new McpError(
      "ERR_ARGUMENT",
      "dir is no folder of this work tree: give its path from the top folder",
    );
  }
  return path;
}

function isInside(root: string, path: string): boolean {
  const parts = relative(root, path).split(sep);
  return !parts.includes("..") && !parts.includes(".git");
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
