import type { AgentRequest } from "../agent.ts";
import type { AllowedCommand } from "../permissions.ts";

export interface QwenArgsOptions {
  /** @default Qwen Code's own choice */
  readonly model?: string | undefined;
  /**
   * What the coder may use beside editing files in the work tree, in Qwen Code's words: `Bash(npm test *)`.
   *
   * @default none
   */
  readonly allowedTools?: readonly string[] | undefined;
  /**
   * Whether turns that write read the repository's settings, hooks, skills and MCP servers too: only for a
   * repository that you trust. @default false
   */
  readonly projectSettings?: boolean | undefined;
  /** More arguments for turns that write; a turn that only reads has none. @default none */
  readonly args?: readonly string[] | undefined;
}

/** Whether a turn takes the repository at its word. */
export const trustsProject = ({ access }: AgentRequest, options: QwenArgsOptions): boolean =>
  options.projectSettings === true && access === "write";

/** What a turn has no use for: work that continues by itself, or elsewhere, or whose usage is not told. */
const NEVER: readonly string[] = [
  ...["agent", "list_agents", "send_message", "skill", "get_goal", "update_goal"],
  ...["cron_create", "cron_list", "cron_delete", "loop_wakeup", "monitor"],
  ...["enter_worktree", "exit_worktree", "record_artifact", "report_findings", "read_mcp_resource"],
];

/** What a reader does not have at all. */
const WRITES: readonly string[] = [
  ...["run_shell_command", "edit", "write_file", "notebook_edit", "task_stop", "web_fetch"],
  ...["tool_search", "tool_call"],
];

const EDITS: readonly string[] = ["edit", "write_file", "notebook_edit"];

/** Whatever is allowed, the shell is there, and commands with it of which Qwen Code sees that they only read. */
const SHELL = "run_shell_command(git status)";

/** An `@` of a prompt is given so: Qwen Code would take what follows a plain one for the name of a file. */
const AT_SIGN = '\n\nIn messages to you, "\\@" stands for "@".';

/** A path as a pattern that it fits: what means more in one, or ends a rule, is any character. */
const patternOf = (path: string): string => path.replaceAll(/[^\p{L}\p{N}_./ -]/gu, "?");

/**
 * Each as it stands, and with arguments. Rules know no quotes, so a script is named without; a comma would end a
 * rule.
 */
const commandRules = (commands: readonly AllowedCommand[]): readonly string[] =>
  commands.flatMap(({ typed, script }) => {
    const words = (script === undefined ? typed : `sh ${script.path}`).replaceAll(",", "*");
    return [`run_shell_command(${words})`, `run_shell_command(${words} *)`];
  });

/**
 * Qwen Code's arguments for a turn, each with its value in one, so that no value is taken for an option.
 *
 * @param workTree - Its path without links: Qwen Code knows no other.
 * @see SPEC.md, "Qwen Code"
 */
export function qwenArgs(
  request: AgentRequest,
  options: QwenArgsOptions,
  { commands, workTree }: { commands: readonly AllowedCommand[]; workTree: string },
): string[] {
  const { access, systemPrompt, sessionId, resumesSession, outputSchema } = request;
  const { model, allowedTools = [], args: more = [] } = options;
  const tree = `/${patternOf(workTree)}`;
  const allowed = [
    ...EDITS.map((tool) => `${tool}(${tree}/**)`),
    ...[SHELL, ...commandRules(commands), ...allowedTools],
  ];
  const denied = access === "read" ? [...NEVER, ...WRITES] : [...NEVER, `edit(${tree}/.git/**)`];
  const args = ["--output-format=stream-json", "--include-partial-messages"];
  if (!trustsProject(request, options)) args.push("--safe-mode");
  args.push("--approval-mode=default");
  if (access === "write") args.push(...allowed.map((rule) => `--allowed-tools=${rule}`));
  args.push(...denied.map((rule) => `--exclude-tools=${rule}`));
  args.push(`--append-system-prompt=${systemPrompt}${AT_SIGN}`);
  if (sessionId !== undefined) {
    args.push(`${resumesSession ? "--resume" : "--session-id"}=${sessionId}`);
  }
  if (model !== undefined) args.push(`--model=${model}`);
  if (outputSchema !== undefined) args.push(`--json-schema=${JSON.stringify(outputSchema)}`);
  return access === "read" ? args : [...args, ...more];
}
