/** Programs that only read, whatever they are told. */
const READERS: ReadonlySet<string> = new Set(
  "cat head tail ls wc grep cd pwd echo true".split(" "),
);
const GIT_READS: ReadonlySet<string> = new Set(
  "status diff log show blame ls-files ls-tree rev-parse".split(" "),
);
/** With these git writes a file, or runs a program that the repository names. */
const GIT_WRITES = /^--(out|ext-diff|textconv)/;

const SILENCED = /(^|\s)[12]?>\s?(\/dev\/null|&[12])(?=[\s;|&]|$)/g;

/**
 * Whether a shell's command line does nothing but read: programs that only read, joined by pipes, `&&`,
 * `||` and `;`. What it cannot tell for certain is no.
 */
export function readsOnly(line: string): boolean {
  const commands = commandsOf(line);
  return commands !== undefined && commands.length > 0 && commands.every(isReader);
}

/** Whether a command, as words, only reads. */
export function isReader([program = "", ...args]: readonly string[]): boolean {
  if (program !== "git") return READERS.has(program);
  const [command = "", ...rest] = args[0] === "--no-pager" ? args.slice(1) : args;
  return GIT_READS.has(command) && !rest.some((arg) => GIT_WRITES.test(arg));
}

/**
 * The commands of a line as words; `undefined` for a line with more in it than words, quotes, joints and output that
 * goes nowhere.
 */
export function commandsOf(line: string): readonly (readonly string[])[] | undefined {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (let rest = line.replaceAll(SILENCED, " "); rest !== ""; ) {
    const [token = ""] = TOKEN.exec(rest) ?? [];
    if (token === "") return undefined;
    rest = rest.slice(token.length);
    if (JOINT.test(token)) {
      endWord();
      commands.push([]);
    } else if (/^[ \t]/.test(token)) {
      endWord();
    } else {
      word = (word ?? "") + (/^['"]/.test(token) ? token.slice(1, -1) : token);
    }
  }
  endWord();
  const last = commands.at(-1);
  return last?.length === 0 && commands.length > 1 ? commands.slice(0, -1) : commands;
}

const JOINT = /^(&&|\|\||[;|\n])$/;
/** White space, a joint, a quoted text without a substitution, or a run of what is plain in a shell. */
const TOKEN = /^([ \t]+|&&|\|\||[;|\n]|'[^']*'|"[^"$`\\!]*"|[^\s;|&'"$`()<>\\!]+)/;
