import { createHash } from "node:crypto";
import { join } from "node:path";
import { type AgentDenial, type AgentRequest } from "./agent.ts";
import { cleanLine } from "./clean.ts";

/** Words, paths and flags with nothing in them that a shell, or a rule of Claude Code, reads as more. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+( [A-Za-z0-9_@%+=:,./-]+)*$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** Whether a command is one program with plain arguments: no operator, quote, assignment or parenthesis. */
export function isPlainCommand(command: string): boolean {
  return PLAIN.test(command) && !ASSIGNMENT.test(command);
}

/** A command that an agent may run. */
export interface AllowedCommand {
  /** As the agent types it, with or without further arguments. */
  readonly typed: string;
  /** As the person named it. */
  readonly named: string;
  /** The script that holds it, where it is not typed as it was named. */
  readonly script?: { readonly path: string; readonly text: string } | undefined;
}

/**
 * How an agent whose rules know only plain commands is allowed each of those that a person named: one with
 * operators, quotes, assignments or parentheses is a script, named by what it holds.
 *
 * @param dir - Where scripts go; absolute.
 */
export function allowedCommands(
  commands: readonly string[],
  dir: string,
): readonly AllowedCommand[] {
  return [...new Set(commands.map((command) => command.trim()))]
    .filter((command) => command !== "")
    .map((named) => (isPlainCommand(named) ? { typed: named, named } : scripted(named, dir)));
}

function scripted(named: string, dir: string): AllowedCommand {
  const name = createHash("sha256").update(named).digest("hex").slice(0, 12);
  const path = join(dir, `command-${name}.sh`);
  return { typed: `sh ${shellWord(path)}`, named, script: { path, text: `${named}\n` } };
}

/** The scripts of commands, by path. */
export function scriptsOf(commands: readonly AllowedCommand[]): Record<string, string> {
  const scripts = commands.flatMap(({ script }) => script ?? []);
  return Object.fromEntries(scripts.map(({ path, text }) => [path, text]));
}

/** Each as it stands, and with arguments: in the words of Claude Code. */
export function commandRules(commands: readonly AllowedCommand[]): readonly string[] {
  return commands.flatMap(({ typed }) => [`Bash(${typed})`, `Bash(${typed} *)`]);
}

/** A word that `sh` reads as this text. */
export function shellWord(text: string): string {
  return PLAIN.test(text) && !text.includes(" ") ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What is added to the prompt of an agent that may run these and no other commands; `""` for none, and for a reader. */
export function commandsNote(
  { access }: Pick<AgentRequest, "access">,
  commands: readonly AllowedCommand[],
  tools: readonly string[] = [],
): string {
  if (access === "read" || (commands.length === 0 && tools.length === 0)) return "";
  const lines = [
    ...commands.map(({ typed, named, script }) =>
      script === undefined
        ? `- ${cleanLine(typed)}`
        : `- ${cleanLine(typed)}   (which runs: ${cleanLine(named)})`,
    ),
    ...tools.map((tool) => `- ${cleanLine(tool)}`),
  ];
  return `

You may run these commands, typed as they stand here, with further arguments if you need them. Other commands that change anything are denied:

${lines.join("\n")}`;
}

/** What is added to the prompt of an agent whose rules we do not set; `""` for none. */
export function checksNote(commands: readonly string[]): string {
  if (commands.length === 0) return "";
  const lines = commands.map((command) => `- ${cleanLine(command)}`);
  return `

Your work has to pass these commands, which you may run:

${lines.join("\n")}`;
}

/** What was denied, for a person, and the rules of Claude Code that would allow it. */
export function denialOf(tool: string, input: Readonly<Record<string, unknown>>): AgentDenial {
  if (tool !== "Bash") {
    const path = [input["file_path"], input["path"], input["url"]].find(
      (value) => typeof value === "string",
    );
    const what = path === undefined ? tool : `${tool} ${path}`;
    return { what: cleanLine(what), allow: [EDITS.has(tool) ? "Edit" : cleanLine(tool)] };
  }
  const command = typeof input["command"] === "string" ? input["command"].trim() : "";
  return { what: cleanLine(command === "" ? tool : command), allow: rulesFor(command) };
}

const EDITS: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
/** A shell's own, which Claude Code asks about nowhere. */
const HARMLESS = /^(cd|echo|true|pwd|ls|cat|head|tail|wc)( |$)/;
/** What stands for output that is thrown away, or put where the other goes. */
const NO_OUTPUT = /\s[0-2]?>(&[12]|\s?\/dev\/null)(?=\s|$)/g;
/** A text in quotes in which a shell reads nothing more. */
const QUOTED = String.raw`'[^'\n]*'|"[^"$\`\\!\n]*"`;
const PIECE = new RegExp(`${QUOTED}|&&|\\|\\||[;|\\n]|[^'"&|;\\n]+|.`, "gs");
const SEPARATOR = /^(?:&&|\|\||[;|\n])$/;
const WORD = new RegExp(`(?:[A-Za-z0-9_@%+=:,./-]|${QUOTED})+|\\S+`, "g");
/** A word that a rule can say: nothing in it is more than a letter to Claude Code's rules. */
const SAYABLE = /^[A-Za-z0-9_@%+=:,./'" ;|-]+$/;
const SHELL_WORD = new RegExp(`^(?:[A-Za-z0-9_@%+=:,./-]|${QUOTED})+$`);
const KEYWORD = /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|function|time|select)$/;

/**
 * A rule for each command of a line, with its assignments, which a rule has to name; all of the shell where
 * a rule cannot say it.
 */
function rulesFor(command: string): readonly string[] {
  const parts = partsOf(command.replaceAll(NO_OUTPUT, "")).filter((part) => !HARMLESS.test(part));
  const rules = parts.map(ruleFor);
  if (rules.length === 0 || rules.includes(undefined)) return ["Bash"];
  return [...new Set(rules.filter((rule) => rule !== undefined))];
}

/** The commands of a line; an operator in quotes is none. */
function partsOf(line: string): readonly string[] {
  const parts = [""];
  for (const [piece] of line.matchAll(PIECE)) {
    if (SEPARATOR.test(piece)) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/**
 * The words up to the first that a rule cannot say, with anything after them; `undefined` where there is none,
 * or where the shell reads more in what follows.
 */
function ruleFor(part: string): string | undefined {
  const words = part.match(WORD) ?? [];
  if (words.some((word) => !SHELL_WORD.test(word) || KEYWORD.test(word))) return undefined;
  const end = words.findIndex((word) => !SAYABLE.test(word));
  const named = end < 0 ? words : words.slice(0, end);
  const hasProgram = named.some((word) => !ASSIGNMENT.test(word));
  return hasProgram ? `Bash(${named.join(" ")} *)` : undefined;
}
