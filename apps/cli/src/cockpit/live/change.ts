import { countChanges, diffTrees } from "@quasar/git/history";
import { patchLines } from "../../shared/output/diff.ts";
import type { Span } from "./source.ts";
import type { Change } from "../model/shown.ts";

/** Most lines of a patch that are kept. */
const MOST_LINES = 20_000;

/** The last change that was asked for. */
export interface Changes {
  /** @param span - `undefined`: nothing has changed. @returns `undefined`, too, while it is read. */
  of(span: Span | undefined): Change | undefined;
}

/** @param root - A work tree of the repository. @param onRead - Called when a change has been read. */
export function createChanges(root: string, onRead: () => void): Changes {
  let key = "";
  let change: Change | undefined;

  async function load(wanted: string, { from, to }: Span): Promise<void> {
    const read = await readChange(root, from, to);
    if (key !== wanted) return;
    change = read;
    onRead();
  }

  return {
    of(span) {
      const wanted = span === undefined ? "" : `${span.from}..${span.to}`;
      if (wanted !== key) {
        key = wanted;
        change = undefined;
        if (span !== undefined) void load(wanted, span);
      }
      return change;
    },
  };
}

/** `undefined` where git has one of the commits no more. */
async function readChange(root: string, from: string, to: string): Promise<Change | undefined> {
  try {
    const [files, { text }] = await Promise.all([
      countChanges(root, from, to),
      diffTrees(root, from, to),
    ]);
    return { files, lines: patchLines(text).slice(0, MOST_LINES) };
  } catch {
    return undefined;
  }
}
