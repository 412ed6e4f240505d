import type { AgentFailure } from "@quasar/agents";

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

/** What an agent is given for a run to continue: options of `@quasar/agents`. */
export interface FailureOptions {
  readonly allowedTools?: readonly string[];
  readonly maxRequests?: number;
}

/**
 * What a person can give a run that an agent's failure has stopped for it to continue; nothing where none of it would
 * change anything.
 */
export function failureOptions({
  denials = [],
  requests,
}: Pick<AgentFailure, "denials" | "requests">): FailureOptions {
  const rules = new Set(denials.flatMap(({ allow }) => allow));
  if (rules.size > 0) return { allowedTools: [...rules] };
  // The last request is the one that was too many.
  return requests === undefined ? {} : { maxRequests: 2 * Math.max(1, requests - 1) };
}
