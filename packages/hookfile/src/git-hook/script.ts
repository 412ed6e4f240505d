/** The git hook that is used: git has none after a push. */
export const GIT_HOOK = "post-commit";

const BEGIN = "# >>> atlas hook >>>";
const END = "# <<< atlas hook <<<";
const SHEBANG = "#!/bin/sh\n";
const CALL = "checkpoint --trigger git_commit --auto";
/** After as many seconds the command is killed. */
const SECONDS = "1 2 3 4 5 6 7 8 9 10";

/**
 * The line for a person to put into a git hook that is not ours to change.
 *
 * It names no path, as such a file is often shared.
 */
export const GIT_HOOK_LINE = `{ command -v atlas && atlas ${CALL}; } </dev/null >/dev/null 2>&1 &`;

/**
 * The lines that tell a task of a commit. POSIX sh, right under `-e`, `-u` and `-x` too: they leave no variable,
 * print nothing, and continue in the background, holding none of the pipes that git or its caller has open.
 *
 * @param command - The program `atlas` and its first arguments, all of them absolute paths; where
 *   one is missing, `atlas` is searched for on the PATH.
 */
export function gitHookBlock(command: readonly string[]): string {
  const words = command.map(shellWord).join(" ");
  return `${BEGIN}
# Comes off by itself when the repository's last active task ends.
(
  git_dir=\${GIT_DIR:-$(git rev-parse --git-dir)} || exit 0
  # One commit after another: the task hears of them when it is over.
  [ ! -d "$git_dir/rebase-merge" ] && [ ! -d "$git_dir/rebase-apply" ] || exit 0
  set -- ${words}
  for part in "$@"; do
    [ -e "$part" ] || { set -- "$(command -v atlas)"; break; }
  done
  [ -x "\${1-}" ] || exit 0
  "$@" ${CALL} &
  for second in ${SECONDS}; do
    sleep 1
    kill -0 $! || exit 0
  done
  kill -9 $!
) </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
${END}
`;
}

/** A whole git hook, for where there is none. */
export function gitHookScript(command: readonly string[]): string {
  return `${SHEBANG}${gitHookBlock(command)}`;
}

/** Whether paths can stand in a block: none of them has a line that would end it. */
export function fitsBlock(command: readonly string[]): boolean {
  return !command.some((part) => part.includes(BEGIN) || part.includes(END));
}

/** Any text as one word of sh. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// Bytes are text of one character each here: what others wrote need not be UTF-8.
const SHELL_SHEBANG = /^#! ?\/[\w/.-]+\/(?:env (?:sh|dash|bash)|(?:sh|dash|bash)(?: -[eux]+)*) *\n/;

/** A git hook with our block right after its shebang; `undefined` if that is not of sh, dash or bash. */
export function insertBlock(script: Buffer, block: string): Buffer | undefined {
  const [shebang] = SHELL_SHEBANG.exec(script.toString("latin1")) ?? [];
  if (shebang === undefined) return undefined;
  const end = shebang.length;
  return Buffer.concat([script.subarray(0, end), Buffer.from(block), script.subarray(end)]);
}

/** A git hook as our block divides it. */
export type Divided =
  | { readonly kind: "absent" }
  /** Half a block, or more than one. */
  | { readonly kind: "damaged" }
  | { readonly kind: "present"; readonly block: string; readonly rest: Buffer };

export function divide(script: Buffer): Divided {
  const text = script.toString("latin1");
  const [begins, ends] = [linesOf(text, BEGIN), linesOf(text, END)];
  const [begin, end] = [begins[0], ends[0]];
  if (begin === undefined && end === undefined) return { kind: "absent" };
  if (begin === undefined || end === undefined || begins.length + ends.length > 2 || end < begin) {
    return { kind: "damaged" };
  }
  const after = end + END.length + 1;
  const rest = Buffer.concat([script.subarray(0, begin), script.subarray(after)]);
  return { kind: "present", block: script.subarray(begin, after).toString(), rest };
}

/** Where a line stands that is exactly `line`. */
function linesOf(text: string, line: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const startsLine = at === 0 || text[at - 1] === "\n";
    if (startsLine && (text[at + line.length] ?? "\n") === "\n") found.push(at);
  }
  return found;
}

/**
 * Takes exactly the block of this command out of git hooks.
 *
 * @returns The rest of one; `undefined`: it is Quasar's, and nobody has added to it.
 */
export function withoutOwnBlock(
  command: readonly string[],
): (script: Uint8Array) => Uint8Array | undefined {
  const block = gitHookBlock(command);
  return (script) => {
    const divided = divide(Buffer.from(script));
    if (divided.kind !== "present" || divided.block !== block) return script;
    return isOurs(divided.rest) ? undefined : divided.rest;
  };
}

/** Whether nothing is left in a git hook that we made but what we put there. */
export function isOurs(rest: Buffer): boolean {
  return rest.toString("latin1") === SHEBANG;
}

/** What tools that look after a folder of git hooks write into theirs. */
const MANAGERS: readonly (readonly [mark: RegExp, manager: string])[] = [
  [/\bhusky\b/i, "husky"],
  [/\blefthook\b/i, "lefthook"],
  [/\bpre-commit\.com\b|\bFile generated by pre-commit\b/, "pre-commit"],
];

/** The tool that has written a git hook and will write it again. */
export function managerOf(script: Buffer): string | undefined {
  const text = script.toString("latin1");
  return MANAGERS.find(([mark]) => mark.test(text))?.[1];
}
