import { oneLine } from "../text.ts";

/** A path that a merge could not merge. */
export interface MergeConflict {
  /** In the merged tree, or where one side had it; bytes that are no UTF-8 are U+FFFD in it. */
  readonly path: string;
  /** As git names it: `contents`, `binary`, `modify/delete`, `rename/rename`, `file/directory` … */
  readonly kind: string;
  /** What git says of it, as one line. */
  readonly message: string;
}

export interface MergedTrees {
  /** Id of a tree; with conflicts it has files with conflict markers in it. */
  readonly tree: string;
  /** None: the merge is clean. */
  readonly conflicts: readonly MergeConflict[];
}

/**
 * Reads what `git merge-tree --write-tree -z --messages` prints; `undefined` for anything else.
 *
 * @see git-merge-tree(1), "OUTPUT"
 */
export function parseMerge(output: string): MergedTrees | undefined {
  const [tree = "", ...rest] = output.split("\0");
  const end = rest.indexOf("");
  const entries = rest.slice(0, end).map((entry) => ENTRY.exec(entry)?.[1]);
  const messages = parseMessages(rest.slice(end + 1));
  if (!TREE.test(tree) || end < 0 || messages === undefined) return undefined;
  const unmerged = new Set<string>();
  for (const path of entries) {
    if (path === undefined) return undefined;
    unmerged.add(path);
  }
  return { tree, conflicts: conflictsIn(unmerged, messages) };
}

const TREE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const ENTRY = /^[0-7]{6} [0-9a-f]+ [123]\t([^]+)$/u;

interface Message {
  readonly paths: readonly string[];
  /** Git's short one, which is the same in all languages. */
  readonly type: string;
  readonly text: string;
}

/** A number, as many paths, the type, the text; and so on. What is behind the last is advice about submodules. */
function parseMessages(fields: readonly string[]): readonly Message[] | undefined {
  const messages: Message[] = [];
  let at = 0;
  while (at < fields.length - 1) {
    const count = Number(/^[1-9]\d*$/u.exec(fields[at] ?? "")?.[0]);
    const paths = fields.slice(at + 1, at + 1 + count);
    const [type, text] = fields.slice(at + 1 + count, at + 3 + count);
    if (paths.length !== count || type === undefined || text === undefined) return undefined;
    messages.push({ paths, type, text });
    at += 3 + count;
  }
  return at === fields.length - 1 ? messages : undefined;
}

/** Each path that is unmerged, or that nothing but a message names. */
function conflictsIn(
  unmerged: ReadonlySet<string>,
  messages: readonly Message[],
): readonly MergeConflict[] {
  const told = messages.flatMap(({ paths, type, text }) => {
    const [, kind] = CONFLICT.exec(type) ?? [];
    if (kind === undefined) return [];
    const known = paths.filter((path) => unmerged.has(path));
    const named = known.length > 0 ? known : paths.slice(0, 1);
    return named.map((path): MergeConflict => ({ path, kind, message: oneLine(text) }));
  });
  const named = new Set(told.map(({ path }) => path));
  const silent = [...unmerged].filter((path) => !named.has(path));
  return [...told, ...silent.map((path) => ({ path, kind: "unmerged", message: "" }))];
}

const CONFLICT = /^CONFLICT \((.+)\)$/u;
