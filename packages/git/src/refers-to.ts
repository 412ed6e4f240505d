/** What the lines that were added to tracked files say of a path. */
export interface Mentions {
  /** Whether a line has the file's name as a word. */
  name(path: string): boolean;
  /**
   * Whether a line names the file by its way from a folder on: `build/m.py`, `build.m`, `"build", "m.py"`,
   * `from build import m`. The file's ending may be missing.
   *
   * @param from - Which of the path's parts the folder is.
   */
  way(path: string, from: number): boolean;
}

/** @param patch - Unified: of it the lines that begin with `+` are read. */
export function mentionsIn(patch: string): Mentions {
  const lines = patch.split("\n").filter((line) => line.startsWith("+") && !/^\+\+\+ /u.test(line));
  const added = lines.map((line) => line.slice(1, LINE));
  const words = new Set(added.flatMap((line) => line.split(/[^\p{L}\p{N}_.@-]+/u)));
  const byFolder = new Map<string, readonly string[]>();
  const linesWith = (folder: string): readonly string[] => {
    const known = byFolder.get(folder);
    if (known !== undefined) return known;
    const found = added.filter((line) => line.includes(folder));
    byFolder.set(folder, found);
    return found;
  };
  return {
    name: (path) => words.has(path.slice(path.lastIndexOf("/") + 1)),
    way: (path, from) => {
      const parts = path.split("/");
      const found = linesWith(parts[from] ?? "");
      if (found.length === 0) return false;
      const pattern = wayTo(parts.slice(from));
      return found.some((line) => pattern.test(line));
    },
  };
}

/** Of a line, in characters: what is longer was not written by hand. */
const LINE = 2000;

/** Files that their folder stands for. */
const HEADS: ReadonlySet<string> = new Set(["__init__", "index"]);

const BEFORE = String.raw`(?<![\p{L}\p{N}_])`;
const AFTER = String.raw`(?![\p{L}\p{N}_])`;
const BETWEEN = String.raw`(?:[/\\.]|::)`;

function wayTo([folder = "", ...rest]: readonly string[]): RegExp {
  const last = rest.at(-1) ?? "";
  const stem = last.replace(/(?<=.)\.[^.]*$/u, "");
  const begin = `${BEFORE}${literal(folder)}`;
  const word = `${BEFORE}${literal(stem)}${AFTER}`;
  const along = String.raw`${BETWEEN}(?:[^\s"'\x60]*${BETWEEN})?${word}`;
  const joined = String.raw`/?["'\x60]\s*[,/+)].*${word}`;
  const imported = String.raw`\S*\s+import\b.*${word}`;
  const ways = [`${begin}(?:${along}|${joined}|${imported})`];
  if (HEADS.has(stem) && rest.length === 1) {
    ways.push(
      String.raw`\b(?:from|import|require)\b[\s("'\x60]*[./]*${literal(folder)}/?(?:[\s"'\x60;]|$)`,
    );
  }
  // A package is imported by its folder.
  if (last.endsWith(".go")) ways.push(`/${[folder, ...rest.slice(0, -1)].map(literal).join("/")}"`);
  return new RegExp(ways.join("|"), "u");
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}
