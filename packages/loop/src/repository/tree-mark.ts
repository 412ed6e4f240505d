import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createOnce, readWholeFile } from "@quasar/durable";
import type { Repository } from "@quasar/git";
import { makeFolders } from "@quasar/process/files";

const MAX_BYTES = 100;

/**
 * Names the making of a work tree: the name is in its git folder, and one that is made again gets another. It is
 * given, durably, where there is none yet.
 *
 * @returns `""` where there is none and none can be given; `undefined` where nobody can know, since it cannot be read.
 */
export function treeMark({ gitDir }: Pick<Repository, "gitDir">): string | undefined {
  const folder = join(gitDir, "quasar");
  const file = join(folder, "tree-mark");
  try {
    const found = readWholeFile(file, { maxBytes: MAX_BYTES });
    if (found !== undefined) return Buffer.from(found).toString();
  } catch {
    return undefined;
  }
  try {
    makeFolders(folder);
    const mark = randomUUID();
    return createOnce(file, Buffer.from(mark)) ? mark : "";
  } catch {
    return "";
  }
}
