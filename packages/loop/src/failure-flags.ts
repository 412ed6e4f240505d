import type { AgentFailure } from "@quasar/agents";

/** The flags that allow an agent what its rules name, for a shell. */
export function allowFlags(rules: readonly string[]): string {
  return [...new Set(rules)].map((rule) => `--allow-tool ${quoted(rule)}`).join(" ");
}

/** What rules open, in words: `Bash(npm test *)` opens `npm test`, whatever stands after it. */
export function openedWords(rules: readonly string[]): string {
  if (rules.includes("Bash")) return "every command of the shell, as you";
  return [...new Set(rules)].map(openedBy).join(" and ");
}

function openedBy(rule: string): string {
  const [, command] = /^Bash\((.*) \*\)$/su.exec(rule) ?? [];
  if (command !== undefined) return `\`${command}\` with any arguments`;
  return rule === "Edit" ? "changes of any file" : `every use of ${rule}`;
}

/** A word for a POSIX shell, in double quotes where nothing in it means anything there. */
function quoted(rule: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(rule)) return rule;
  return /["$`\\!]/u.test(rule) || !rule.includes(" ")
    ? `'${rule.replaceAll("'", "'\\''")}'`
    : `"${rule}"`;
}

/**
 * The flags with which a person has a run continue that an agent's failure has stopped; `""` where none
 * would change anything.
 */
export function failureFlags({
  denials = [],
  requests,
}: Pick<AgentFailure, "denials" | "requests">): string {
  const rules = denials.flatMap(({ allow }) => allow);
  if (rules.length > 0) return allowFlags(rules);
  // The last request is the one that was too many.
  return requests === undefined ? "" : `--max-requests ${2 * Math.max(1, requests - 1)}`;
}
