import { storeCleanedBlob } from "./cleaned.ts";
import type { Content } from "./content.ts";
import { filesAt, readBlob } from "./files-at.ts";
import type { SignalOptions } from "./head.ts";

/** What a file held, and what it holds now; both are stored as blobs. */
export interface ChangedContent {
  readonly base: Pick<Content, "path" | "mode" | "id">;
  readonly now: Pick<Content, "mode" | "id">;
}

/**
 * The paths of those files that no longer hold all that was not committed of them: lines which `base` has and
 * the commit has not, and which are not there now, all as a commit has them. What is no text, or no plain file, is
 * lost when it differs.
 *
 * @param root - The top folder of the work tree.
 * @param head - A commit id; `""`: there is none.
 * @throws as `filesAt` and `readBlob` do
 */
export async function lostWork(
  root: string,
  head: string,
  changes: readonly ChangedContent[],
  options: SignalOptions = {},
): Promise<readonly string[]> {
  const paths = changes.map(({ base }) => base.path);
  const committed = head === "" ? undefined : await filesAt(root, head, paths, options);
  const textOf = async (id: string | undefined): Promise<string | undefined> =>
    id === undefined ? undefined : id === "" ? "" : readBlob(root, id, options);
  const lost: string[] = [];
  for (const { base, now } of changes) {
    if (base.mode === "000000") continue; // a deletion has no content that could be lost
    const cleaned = ({ mode, id }: Pick<Content, "mode" | "id">): Promise<string | undefined> =>
      FILES.has(mode) ? storeCleanedBlob(root, base.path, id, options) : Promise.resolve(id);
    const ids = [await cleaned(base), committed?.get(base.path)?.id ?? "", await cleaned(now)];
    const [mine, before, theirs] = await Promise.all(ids.map(textOf));
    const isText = mine !== undefined && before !== undefined && theirs !== undefined;
    if (!isText || !holdsAll(mine, before, theirs)) lost.push(base.path);
  }
  return lost;
}

const FILES: ReadonlySet<string> = new Set(["100644", "100755"]);

/** Whether each line that is in `mine` oftener than in `head` is in `now` at least as often. */
function holdsAll(mine: string, head: string, now: string): boolean {
  const [inHead, inNow] = [counted(head), counted(now)];
  return [...counted(mine)].every(
    ([line, count]) => count <= (inHead.get(line) ?? 0) || count <= (inNow.get(line) ?? 0),
  );
}

function counted(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) {
    const key = line.trim();
    if (key !== "") counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
