import { HOOK_MD_COMMANDS } from "./commands.ts";

/** For CLAUDE.md and AGENTS.md: how an agent without memory finds its task, and what it must not do. */
export const AGENT_TEXT = `## ATLAS Task Recovery

**Before starting any ATLAS task work**, check for an active task:

\`\`\`bash
# Prints the recovery hook of this work tree's active task, and fails if there is none
${HOOK_MD_COMMANDS.context}
\`\`\`

If it prints a recovery hook:

1. Read the ENTIRE output
2. Follow its "What To Do Now" section EXACTLY
3. Do NOT restart from the beginning
4. Do NOT repeat completed steps (check the table)

The hook file is the source of truth for task state. Your memory may be stale or empty after a crash - the hook file is not.

FALLBACK, only where there is no command \`atlas\`, and only while a single task is active: it may find another task's file, or one that is out of date.

\`\`\`bash
ls ~/.atlas/workspaces/*/tasks/*/HOOK.md 2>/dev/null | head -1
\`\`\`

Read the ENTIRE file with \`cat <path>\`. Leave it alone if its first line says that the task is finished, or if its work tree is not yours.
`;

const START = "<!-- >>> atlas hook >>> -->";
const END = "<!-- <<< atlas hook <<< -->";

/** Our block: from a start of ours to the next end, with no other start between. */
const BLOCK = new RegExp(`^${START}\\r?\\n(?:(?!^${START}$)[^])*?^${END}$`, "m");

/**
 * The text of a CLAUDE.md or AGENTS.md with our section in it, between markers: brought up to date
 * where it is, else put at the end. All other bytes stay; line ends are those of the text. Doing it
 * twice gives the same text.
 */
export function insertAgentText(text: string): string {
  const lineEnd = lineEndOf(text);
  const block = `${START}\n${AGENT_TEXT}${END}`.replaceAll("\n", lineEnd);
  if (BLOCK.test(text)) return text.replace(BLOCK, () => block);
  if (text === "") return block + lineEnd;
  return text.endsWith("\n")
    ? `${text}${lineEnd}${block}${lineEnd}`
    : `${text}${lineEnd}${lineEnd}${block}`;
}

/** The text without our section, and without the empty line that set it off: undoes `insertAgentText`. */
export function removeAgentText(text: string): string {
  const found = BLOCK.exec(text);
  if (found === null) return text;
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + found[0].length);
  // With a line's end after it, it was put behind a line's end; without, behind the last character.
  return after === ""
    ? withoutLineEnd(withoutLineEnd(before))
    : withoutLineEnd(before) + after.replace(/^\r?\n/, "");
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}
