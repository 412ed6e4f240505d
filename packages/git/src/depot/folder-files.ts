import { constants, type Dirent, readdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { hasErrno } from "@quasar/process/files";
import { isDotGit } from "../dot-git.ts";
import { GitError, isGone, messageOf } from "../errors.ts";
import { line } from "../import-stream.ts";
import { quoted } from "../text.ts";
import { cQuoted, pathBytes } from "../tree-stream.ts";

/** Whether a path, from the folder on and with `/`, is left out. */
export type Leaves = (path: string) => boolean;

/**
 * The regular files in a folder, from it on; bytes, one a character (latin1). Of what is called as git's folder there are none.
 *
 * @throws {GitError} `ERR_SNAPSHOT_FAILED` where a folder cannot be read.
 */
export function* filesIn(dir: string, leaves: Leaves, below = ""): Generator<string> {
  for (const entry of entriesIn(dir, below)) {
    const path = below + entry.name.toString("latin1");
    const isLeft =
      isDotGit(entry.name.toString()) || leaves(Buffer.from(path, "latin1").toString());
    if (isLeft) continue;
    if (entry.isDirectory()) yield* filesIn(dir, leaves, `${path}/`);
    else if (entry.isFile()) yield path;
  }
}

function entriesIn(dir: string, below: string): readonly Dirent<Buffer>[] {
  try {
    const folder = pathBytes(dir, below);
    return readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    if (below !== "" && isGone(error)) return [];
    throw unreadable(below, error);
  }
}

const CHUNK_BYTES = 2 ** 18;

/**
 * A file as `git fast-import` takes it, as long as it is when it is opened; nothing of one that is gone, or has become a link.
 *
 * @throws {GitError} `ERR_SNAPSHOT_FAILED` where it cannot be read, or gets shorter.
 */
export async function* fileStream(dir: string, path: string): AsyncGenerator<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const handle = await open(pathBytes(dir, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return;
      yield line(`M 100644 inline ${cQuoted(path)}`);
      yield line(`data ${stat.size}`);
      for (let left = stat.size; left > 0; ) {
        const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
        const { bytesRead } = await handle.read(chunk);
        if (bytesRead === 0) throw new Error("it has got shorter while it was read");
        yield chunk.subarray(0, bytesRead);
        left -= bytesRead;
      }
      yield line("");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isGone(error) || hasErrno(error, "ELOOP")) return;
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): GitError {
  const message = `${quoted(path)} could not be read: ${messageOf(error)}`;
  return new GitError("ERR_SNAPSHOT_FAILED", message, { cause: error });
}
