import { commandsOf, isReader } from "./claude/reads-only.ts";

/** `Bash(npm test *)`, `Bash(npm test:*)`: these words and any after them; `Bash(npm test)`: no others. */
const RULE = /^Bash\((.*?)(\s?\*|:\*)?\)$/s;

/**
 * Whether a shell's command line runs nothing but commands that rules allow, in the words of Claude Code, and such as
 * only read. A line with more in it than words, quotes and joints is allowed by `Bash` only, as nobody reads it here.
 */
export function isAllowedCommand(line: string, rules: readonly string[]): boolean {
  if (rules.includes("Bash") || rules.includes("Bash(*)")) return true;
  const commands = commandsOf(line);
  if (commands === undefined || commands.length === 0) return false;
  const matchers = rules.flatMap((rule) => matcherOf(rule) ?? []);
  return commands.every((words) => isReader(words) || matchers.some((matches) => matches(words)));
}

function matcherOf(rule: string): ((words: readonly string[]) => boolean) | undefined {
  const [, said = "", rest] = RULE.exec(rule) ?? [];
  const [named, ...others] = commandsOf(said) ?? [];
  if (named === undefined || named.length === 0 || others.length > 0) return undefined;
  return (words) =>
    (rest === undefined ? words.length === named.length : words.length >= named.length) &&
    named.every((word, at) => word === words[at]);
}
