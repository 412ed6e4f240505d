import type { SpecProblem } from "@quasar/nebula/spec";
import { cleanLine, fit } from "@quasar/runs/text";

/** A file of a nebula, as an agent has answered it. */
export interface AnsweredFile {
  readonly name: string;
  readonly text: string;
}

/** What an agent has answered: hostile text, of which only plain names and bounded texts are taken. */
export interface Answered {
  readonly files: readonly AnsweredFile[];
  readonly problems: readonly SpecProblem[];
}

const MOST_FILES = 200;
const MOST_CHARACTERS = 64 * 1024;

/** No folder, no device, nothing hidden. */
const PLAIN = /^(?:nebula\.toml|[a-z0-9][a-z0-9_-]{0,79}\.md)$/iu;

/** The files of an answer: each a line `FILE: name`, then its text in a fence. What is around them counts for nothing. */
export function answeredFiles(answer: string): Answered {
  const files: AnsweredFile[] = [];
  const problems: SpecProblem[] = [];
  const taken = new Set<string>();
  for (const { name, text } of blocksOf(answer)) {
    const wrong = wrongWith(name, text, taken);
    if (wrong !== undefined) problems.push({ ...wrong, severity: "error", file: shown(name) });
    else if (text !== undefined) files.push({ name, text });
    taken.add(name.toLowerCase());
    if (taken.size <= MOST_FILES) continue;
    const message = `the answer has more than ${MOST_FILES} files`;
    problems.push({ category: "too_many", severity: "error", file: shown(name), message });
    break;
  }
  if (!files.some(({ name }) => name === "nebula.toml")) {
    const message = "the answer has no nebula.toml";
    problems.push({ category: "unreadable", severity: "error", file: "nebula.toml", message });
  }
  return { files, problems };
}

function wrongWith(
  name: string,
  text: string | undefined,
  taken: ReadonlySet<string>,
): Pick<SpecProblem, "category" | "message"> | undefined {
  const named = `"${shown(name)}"`;
  if (!PLAIN.test(name)) {
    return {
      category: "invalid_path",
      message: `${named} is not nebula.toml, nor a plain name that ends in .md`,
    };
  }
  if (taken.has(name.toLowerCase())) {
    return { category: "invalid_path", message: `${named} is there twice` };
  }
  if (text === undefined) {
    return { category: "syntax", message: `${named} has no text between two fences` };
  }
  if (text.length > MOST_CHARACTERS) {
    return {
      category: "too_many",
      message: `${named} is longer than ${MOST_CHARACTERS} characters`,
    };
  }
  return undefined;
}

function shown(name: string): string {
  return fit(cleanLine(name), 80);
}

interface Block {
  readonly name: string;
  /** `undefined`: there is no fence, or it does not end. */
  readonly text: string | undefined;
}

const HEAD = /^FILE:\s*`?([^`]*?)`?\s*$/u;
const FENCE = /^(`{3,}|~{3,})[^`]*$/u;

function* blocksOf(answer: string): Generator<Block> {
  const lines = answer.split(/\r?\n/u);
  for (let at = 0; at < lines.length; at += 1) {
    const name = HEAD.exec(lines[at] ?? "")?.[1];
    if (name === undefined) continue;
    let open = at + 1;
    while (lines[open]?.trim() === "") open += 1;
    const fence = FENCE.exec(lines[open] ?? "")?.[1];
    const end = fence === undefined ? -1 : closingLine(lines, open + 1, fence);
    if (end < 0) {
      yield { name, text: undefined };
      continue;
    }
    yield { name, text: `${lines.slice(open + 1, end).join("\n")}\n` };
    at = end;
  }
}

/** A fence ends with as many of its characters, or more, alone in a line. */
function closingLine(lines: readonly string[], from: number, fence: string): number {
  return lines.findIndex((line, at) => {
    const bare = line.trimEnd();
    return at >= from && bare.startsWith(fence) && bare === (fence[0] ?? "").repeat(bare.length);
  });
}
