import type { AgentRequest } from "@quasar/loop";

/** Where Claude Code reads settings from. */
export type ClaudeSettingSource = "user" | "project" | "local";

export interface ClaudeArgsOptions {
  /** @default Claude Code's own choice */
  readonly model?: string | undefined;
  /**
   * What the coder may use beside editing files in the work tree, in Claude Code's words:
   * `Bash(npm test *)`. @default none
   */
  readonly allowedTools?: readonly string[] | undefined;
  /**
   * `user` keeps a person's login working; the others let a repository's hooks and permissions act,
   * so name them only for a repository that you trust. @default ["user"]
   */
  readonly settingSources?: readonly ClaudeSettingSource[] | undefined;
}

const READ_TOOLS = ["Read", "Glob", "Grep"] as const;
const READ_COMMANDS = ["status", "diff", "log", "show", "blame"].map(
  (name) => `Bash(git ${name} *)`,
);
/** With `--output` git's reading commands write a file. */
const WRITE_TOOLS = ["Write", "Edit", "NotebookEdit", "Bash(git *--out*)"] as const;

/** A reviewer has no tool that writes; what is not allowed is denied without a question. */
const READ_ACCESS: readonly string[] = [
  ...["--permission-mode", "dontAsk", "--tools", [...READ_TOOLS, "Bash"].join(",")],
  ...["--allowedTools", ...READ_TOOLS, ...READ_COMMANDS],
  ...["--disallowedTools", ...WRITE_TOOLS],
];

/** Claude Code's arguments for a turn. @see SPEC.md, "Claude Code" */
export function claudeArgs(request: AgentRequest, options: ClaudeArgsOptions): string[] {
  const { model, allowedTools = [], settingSources = ["user"] } = options;
  const { access, systemPrompt, outputSchema, maxCostUsd, sessionId, resumesSession } = request;
  const args = ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"];
  args.push("--strict-mcp-config", "--setting-sources", settingSources.join(","));
  if (access === "read") {
    args.push(...READ_ACCESS);
  } else {
    args.push("--permission-mode", "acceptEdits", "--allowedTools", ...READ_COMMANDS);
    args.push(...allowedTools);
  }
  args.push("--append-system-prompt", systemPrompt);
  if (sessionId !== undefined) {
    // With `=` the id is never taken for an option, nor left out: `--resume` may go without one.
    args.push(`${resumesSession ? "--resume" : "--session-id"}=${sessionId}`);
  }
  if (model !== undefined) {
    args.push("--model", model);
  }
  if (maxCostUsd !== undefined) {
    args.push("--max-budget-usd", String(maxCostUsd));
  }
  if (outputSchema !== undefined) {
    args.push("--json-schema", JSON.stringify(outputSchema));
  }
  return args;
}
