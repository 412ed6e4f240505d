import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { hasCode } from "../turn-files.ts";

/** Where build tools put their caches, by the variable that says so. */
const CACHES = {
  GOCACHE: "go-build",
  CARGO_TARGET_DIR: "cargo-target",
  npm_config_cache: "npm",
  PIP_CACHE_DIR: "pip",
} as const;

/**
 * Variables that have build tools keep their caches where Codex's sandbox lets them write: in a folder under
 * TMPDIR that is this user's alone, one for each work tree. None where the folder is not to be had.
 */
export function toolCaches(workTree: string, tmp: string = tmpdir()): Record<string, string> {
  const { uid } = userInfo();
  const name = createHash("sha256").update(workTree).digest("hex").slice(0, 12);
  const own = join(tmp, `quasar-caches-${uid}`);
  const folder = join(own, name);
  if (!isOwnFolder(own, uid) || !isOwnFolder(folder, uid)) return {};
  return Object.fromEntries(Object.entries(CACHES).map(([key, dir]) => [key, join(folder, dir)]));
}

/** Makes a folder. Somebody else's, and a link in its place, is not used. */
function isOwnFolder(path: string, uid: number): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) return false;
    const stat = lstatSync(path);
    return stat.isDirectory() && (uid < 0 || stat.uid === uid) && (stat.mode & 0o022) === 0;
  }
}
