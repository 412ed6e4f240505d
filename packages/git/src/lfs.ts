import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import type { SignalOptions } from "./head.ts";
import { openRepository } from "./repository.ts";
import { gitOutput } from "./run.ts";

/** A file whose content is not what the index has, compared without a filter. */
interface Changed {
  readonly path: string;
  /** Id of the blob in the index. */
  readonly indexed: string;
}

// Changed on disk only, with the same mode as in the index.
const CHANGED =
  /^1 \.M N\.\.\. [0-7]{6} (100644|100755) \1 [0-9a-f]+ ([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/su;

/**
 * Which of the paths that `status` lists are as the index has them all the same: Git LFS has put the file
 * in the place of a pointer to it. Its pointer is computed here, so that no filter has to run.
 *
 * Starts no process where no Git LFS is configured or nothing else has changed, two otherwise.
 *
 * @param output - Of {@link STATUS}, under a configuration without filters.
 */
export async function filesForPointers(
  workTree: string,
  output: string,
  config: Config,
  options: SignalOptions,
): Promise<ReadonlySet<string>> {
  const changed =
    config.has("filter.lfs.clean") || config.has("filter.lfs.process") ? parse(output) : [];
  if (changed.length === 0) return new Set();
  const { root } = await openRepository(workTree, options);
  const found = new Set<string>();
  for (const { path, indexed } of await ofLfs(root, changed, options)) {
    if ((await pointerId(join(root, path), indexed, options)) === indexed) found.add(path);
  }
  return found;
}

function parse(output: string): readonly Changed[] {
  return output.split("\0").flatMap((entry): readonly Changed[] => {
    const [, , indexed, path] = CHANGED.exec(entry) ?? [];
    // A name that is no UTF-8 cannot be read by what was decoded of it.
    if (indexed === undefined || path === undefined || path.includes("\ufffd")) return [];
    return [{ path, indexed }];
  });
}

/** Those that the attributes give to the filter `lfs`. */
async function ofLfs(
  root: string,
  changed: readonly Changed[],
  options: SignalOptions,
): Promise<readonly Changed[]> {
  const input = changed.map(({ path }) => `${path}\0`).join("");
  const args = ["check-attr", "-z", "--stdin", "filter"];
  const told = (await gitOutput("read", root, args, { ...options, input })).split("\0");
  return changed.filter((_, index) => told[3 * index + 2] === "lfs");
}

/** The id of the blob that Git LFS would make of a file; `undefined` where it cannot be read. */
async function pointerId(
  file: string,
  { length }: string,
  { signal }: SignalOptions,
): Promise<string | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const hash = createHash("sha256");
  let size = 0;
  try {
    const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    for await (const chunk of handle.createReadStream({ signal })) {
      hash.update(chunk as Buffer);
      size += (chunk as Buffer).length;
    }
  } catch {
    signal?.throwIfAborted();
    return undefined; // it stays listed as changed
  }
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${hash.digest("hex")}\nsize ${size}\n`;
  return createHash(length === 64 ? "sha256" : "sha1")
    .update(`blob ${pointer.length}\0${pointer}`)
    .digest("hex");
}
