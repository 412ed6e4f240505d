import { cleanLine } from "./clean.ts";

/** What agents call the tools that Claude Code, by whose words people know them, calls otherwise. */
const NAMES = {
  codex: { command_execution: "Bash", file_change: "Edit" },
  opencode: {
    bash: "Bash",
    edit: "Edit",
    multiedit: "Edit",
    patch: "Edit",
    apply_patch: "Edit",
    write: "Write",
    read: "Read",
    glob: "Glob",
    grep: "Grep",
    list: "LS",
    webfetch: "WebFetch",
    websearch: "WebSearch",
    todowrite: "TodoWrite",
    task: "Task",
    skill: "Skill",
  },
  qwen: {
    run_shell_command: "Bash",
    edit: "Edit",
    write_file: "Write",
    notebook_edit: "NotebookEdit",
    read_file: "Read",
    glob: "Glob",
    grep_search: "Grep",
    list_directory: "LS",
    web_fetch: "WebFetch",
    todo_write: "TodoWrite",
    agent: "Task",
    skill: "Skill",
  },
  /** The protocol's kinds of tools. */
  acp: {
    execute: "Bash",
    edit: "Edit",
    delete: "Delete",
    move: "Move",
    read: "Read",
    search: "Search",
    fetch: "WebFetch",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A tool as it is shown to people; one that is not known is called as its agent calls it. */
export function toolName(agent: keyof typeof NAMES, name: string): string {
  const names: Readonly<Record<string, string>> = NAMES[agent];
  return Object.hasOwn(names, name) ? (names[name] ?? name) : cleanLine(name);
}
