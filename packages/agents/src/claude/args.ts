import type { AgentRequest } from "../agent.ts";
import { type AllowedCommand, commandRules, shellWord } from "../permissions.ts";

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
  /**
   * Whether turns that write read the repository's settings, hooks and MCP servers too, whatever
   * `settingSources` says: only for a repository that you trust. @default false
   */
  readonly projectSettings?: boolean | undefined;
  /**
   * Whether hooks of the user's own settings and plugins run in turns. Without them no hook runs but an
   * administrator's, and a turn that only reads has no commands, which our own hook judges. @default true
   */
  readonly userHooks?: boolean | undefined;
  /** More arguments for turns that write; a turn that only reads has none. @default none */
  readonly args?: readonly string[] | undefined;
}

/** What of a turn's arguments depends on more than the request. */
export interface ClaudeTurn {
  /** What the person named that the turn may run. */
  readonly commands: readonly AllowedCommand[];
  /** Path of the program that denies a reader's commands unless they only read. */
  readonly guard: () => string;
}

const READ_TOOLS = ["Read", "Glob", "Grep"] as const;
const READ_COMMANDS = ["status", "diff", "log", "show", "blame"].map(
  (name) => `Bash(git ${name} *)`,
);
/** With `--output` git's reading commands write a file. */
const WRITE_TOOLS = ["Write", "Edit", "NotebookEdit", "Bash(git *--out*)"] as const;

/**
 * A reviewer has no tool that writes; what is not allowed is denied without a question. What the user's own
 * settings allow is allowed too, so our settings, which win, ask a guard before each command.
 */
function readAccess(guard: string): readonly string[] {
  return [
    ...["--permission-mode", "dontAsk", "--tools", [...READ_TOOLS, "Bash"].join(",")],
    ...["--allowedTools", ...READ_TOOLS, ...READ_COMMANDS],
    ...["--disallowedTools", ...WRITE_TOOLS],
    ...["--settings", JSON.stringify(guarded(guard))],
  ];
}

/** The same where no hook runs: what our hook cannot judge is not there. */
const READ_ACCESS_WITHOUT_HOOKS: readonly string[] = [
  ...["--permission-mode", "dontAsk", "--tools", READ_TOOLS.join(",")],
  ...["--allowedTools", ...READ_TOOLS],
  ...["--disallowedTools", ...WRITE_TOOLS],
];

const NO_HOOKS: readonly string[] = ["--settings", JSON.stringify({ disableAllHooks: true })];

const GUARD_TIMEOUT_S = 30;

function guarded(guard: string): object {
  const command = [process.execPath, "--no-warnings", guard].map(shellWord).join(" ");
  const hooks = [{ type: "command", command, timeout: GUARD_TIMEOUT_S }];
  return { disableAllHooks: false, hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } };
}

const ALL_SOURCES: readonly ClaudeSettingSource[] = ["user", "project", "local"];

/** Claude Code's arguments for a turn. @see SPEC.md, "Claude Code" */
export function claudeArgs(
  request: AgentRequest,
  options: ClaudeArgsOptions,
  { commands, guard }: ClaudeTurn,
): string[] {
  const { model, allowedTools = [], settingSources = ["user"], args: more = [] } = options;
  const { userHooks = true } = options;
  const readsProject = options.projectSettings === true && request.access === "write";
  const sources = readsProject ? ALL_SOURCES : settingSources;
  const { access, systemPrompt, outputSchema, maxCostUsd, sessionId, resumesSession } = request;
  const args = ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"];
  if (!readsProject) args.push("--strict-mcp-config");
  args.push("--setting-sources", sources.join(","));
  if (access === "read") {
    args.push(...(userHooks ? readAccess(guard()) : READ_ACCESS_WITHOUT_HOOKS));
  } else {
    args.push("--permission-mode", "acceptEdits", "--allowedTools", ...READ_COMMANDS);
    args.push(...commandRules(commands), ...allowedTools);
  }
  if (!userHooks) args.push(...NO_HOOKS);
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
  return access === "read" ? args : [...args, ...more];
}
