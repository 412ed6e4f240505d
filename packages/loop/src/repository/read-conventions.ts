import { posix } from "node:path";
import { filesAt, readBlob } from "@quasar/git/internal";

/** As `filesAt` finds it. */
interface FoundFile {
  readonly path: string;
  readonly id: string;
  readonly size: number;
}

/** What a repository asks of agents that work in it. */
export interface Conventions {
  /** Its files, each under its path; `""` where there are none. */
  readonly text: string;
  readonly paths: readonly string[];
  /** Files that were left out, each with the reason. */
  readonly left: readonly string[];
}

const FIRST: readonly string[] = ["CLAUDE.md", "AGENTS.md"];
const MOST_IMPORTS_DEEP = 5;
const MAX_BYTES = 64 * 1024;

/**
 * CLAUDE.md and AGENTS.md as a commit has them, with the files that they import (`@path`), 5 deep and 64 KiB
 * in all. Nothing of the work tree is read, no link is followed, nothing outside the repository is named.
 *
 * @param commit - A full commit id; `""`: there is none.
 * @throws {GitError} where git cannot answer.
 * @see SPEC.md, "Conventions"
 */
export async function readConventions(workTree: string, commit: string): Promise<Conventions> {
  const texts = new Map<string, string>();
  const left: string[] = [];
  const blobs = new Set<string>();
  const seen = new Set<string>();
  let room = MAX_BYTES;

  /** The text of a file, if there is room for it; one blob is taken once, under whatever name. */
  async function take({ path, id, size }: FoundFile): Promise<string> {
    if (blobs.has(id)) return "";
    const text = size > room ? undefined : await readBlob(workTree, id);
    if (text === undefined) {
      left.push(`${path} (${size > room ? "over 64 KiB in all" : "not UTF-8"})`);
      return "";
    }
    blobs.add(id);
    room -= size;
    texts.set(path, text.trim());
    return text;
  }

  let wanted = commit === "" ? [] : FIRST;
  for (let depth = 0; depth <= MOST_IMPORTS_DEEP && wanted.length > 0; depth++) {
    for (const path of wanted) seen.add(path);
    const files = await filesAt(workTree, commit, wanted);
    const imports: string[] = [];
    for (const path of wanted) {
      const file = files.get(path);
      if (file !== undefined) imports.push(...importsOf(await take(file), path));
    }
    wanted = [...new Set(imports)].filter((path) => !seen.has(path));
  }
  const sections = [...texts].map(([path, text]) => `--- ${path} ---\n\n${text}`);
  return { text: sections.join("\n\n"), paths: [...texts.keys()], left };
}

const CODE = /^(`{3,}|~{3,})[^]*?^\1|`[^`\n]*`/gm;
const IMPORT = /(?<=^|\s)@([\w.][\w./@+-]*)/g;

/** The paths that a text imports, from the root; what is no path in the repository is no import. */
function importsOf(text: string, of: string): readonly string[] {
  return Array.from(text.replaceAll(CODE, " ").matchAll(IMPORT), ([, path = ""]) =>
    posix.normalize(posix.join(posix.dirname(of), path.replace(/[.,;:]+$/, ""))),
  ).filter((path) => path !== "." && !path.startsWith("../") && path !== "..");
}
