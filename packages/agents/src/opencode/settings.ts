import { join } from "node:path";
import type { AgentRequest } from "../agent.ts";
import type { AllowedCommand } from "../permissions.ts";
import { settingsIn } from "./models.ts";

export interface OpencodeSettingsOptions {
  /**
   * What the coder may use beside editing files in the work tree and the commands that a person named: `Bash(npm test *)`,
   * `Bash`, or a permission of OpenCode's, such as `webfetch` or `external_directory(/srv/*)`. @default none
   */
  readonly allowedTools?: readonly string[] | undefined;
  /**
   * Whether turns that write read the repository's settings, plugins and instructions too, and any turn may be taken in
   * a repository that has them: only for one that you trust. @default false
   */
  readonly projectSettings?: boolean | undefined;
}

/** The agent of OpenCode's that our settings define: its rules come after all others, and the last one decides. */
export const AGENT = "quasar";

type Action = "allow" | "deny";
type Rules = Readonly<Record<string, Action>>;
type Permission = Readonly<Record<string, Action | Rules>>;

/** A tool that is denied as a whole is not offered; nothing is asked, as nobody would answer. */
const READS: Permission = {
  "*": "deny",
  read: { "*": "allow", "*.env": "deny", "*.env.*": "deny", "*.env.example": "allow" },
  glob: "allow",
  grep: "allow",
  // Whether it goes round in circles is for the turn's limits to end.
  doom_loop: "allow",
};

const READING_COMMANDS = [
  ...["cd", "echo", "true", "pwd", "ls", "cat", "head", "tail", "wc"],
  ...["status", "diff", "log", "show", "blame"].map((name) => `git ${name}`),
];
/** With a redirection or `--output` they write a file. */
const WRITING = ["*>*", "git *--out*"];

/** A rule of a command's own stands after those, so that it may be followed by anything. */
function bashRules(commands: readonly string[]): Rules {
  return {
    "*": "deny",
    ...rules(READING_COMMANDS.map(withArguments), "allow"),
    ...rules(WRITING, "deny"),
    ...rules(commands, "allow"),
  };
}

/** As it stands, and with arguments. */
const withArguments = (command: string): string => `${command} *`;

const rules = (patterns: readonly string[], action: Action): Rules =>
  Object.fromEntries(patterns.map((pattern) => [pattern, action]));

/** `Bash(npm test *)` or `webfetch`: a permission, and what it is for. */
interface Allowed {
  readonly name: string;
  readonly pattern: string | undefined;
}

function allowedOf(tool: string): Allowed {
  const [, name = tool, pattern] = /^([^(]+)\((.*)\)$/su.exec(tool.trim()) ?? [];
  // What Claude Code once wrote for any arguments.
  return { name: name.trim().toLowerCase(), pattern: pattern?.replace(/:\*$/u, " *") };
}

function writePermission(
  commands: readonly AllowedCommand[],
  tools: readonly string[],
): Permission {
  const allowed = tools.map(allowedOf);
  const shell = allowed.filter(({ name }) => name === "bash");
  const typed = commands.map((command) => withArguments(command.typed));
  const hasAll = shell.some(({ pattern }) => pattern === undefined);
  const others = allowed.filter(({ name }) => name !== "bash");
  return {
    ...READS,
    ...{ edit: "allow", todowrite: "allow", skill: "allow" },
    bash: hasAll
      ? "allow"
      : bashRules([...typed, ...shell.flatMap(({ pattern }) => pattern ?? [])]),
    ...Object.fromEntries(
      others.map(({ name, pattern }) => [
        name,
        pattern === undefined ? "allow" : { [pattern]: "allow" },
      ]),
    ),
  };
}

/** Whether a turn reads what the repository says. */
const readsProject = ({ access }: AgentRequest, { projectSettings }: OpencodeSettingsOptions) =>
  projectSettings === true && access === "write";

/**
 * Variables by which OpenCode has our settings, which go before the user's and the repository's. What the user has set
 * in the same variable stays beneath them.
 *
 * @see SPEC.md, "OpenCode"
 */
export function settingsEnvironment(
  request: AgentRequest,
  options: OpencodeSettingsOptions,
  { commands, content = "" }: { commands: readonly AllowedCommand[]; content?: string | undefined },
): Record<string, string> {
  const { access } = request;
  const permission =
    access === "read" ? READS : writePermission(commands, options.allowedTools ?? []);
  const users = settingsIn(content);
  const agents = users["agent"];
  const ours = {
    ...users,
    // What was changed is for git to say.
    snapshot: false,
    // Both run programs that the repository holds.
    ...(!readsProject(request, options) && { lsp: false, formatter: false }),
    agent: {
      ...(typeof agents === "object" && agents),
      [AGENT]: { mode: "primary", permission },
    },
  };
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(ours),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    ...(!readsProject(request, options) && {
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
    }),
  };
}

/** What of a repository OpenCode reads for plugins even where our settings leave those of the repository out. */
export const RUN_BY_OPENCODE: readonly string[] = [
  ...["opencode.json", "opencode.jsonc"],
  ...["opencode.json", "opencode.jsonc", "plugin", "plugins"].map((name) =>
    join(".opencode", name),
  ),
];
