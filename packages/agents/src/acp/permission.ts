import { isAbsolute, relative, resolve, sep } from "node:path";
import type { AgentDenial, AgentRequest } from "../agent.ts";
import { readsOnly } from "../claude/reads-only.ts";
import { cleanLine } from "../clean.ts";
import { isAllowedCommand } from "../command-rules.ts";
import { denialOf } from "../permissions.ts";
import { withoutLinks } from "@quasar/process/files";
import type { PermissionOption, ToolCall } from "./event.ts";
import { commandOf, kindOf, pathsOf, placesOf } from "./tools.ts";

/** What an agent may do in a turn: data, as it goes to another process. */
export interface PermissionRules {
  readonly access: AgentRequest["access"];
  /** Absolute path. */
  readonly workTree: string;
  /** What a person allows beside: `Bash(npm test *)`, or a kind of tool, such as `fetch`. */
  readonly allowed: readonly string[];
  /** Whether the title of a tool that runs a command is that command. */
  readonly titleIsCommand: boolean;
}

/** Nothing is changed by these, nor sent anywhere. */
const READS: ReadonlySet<string | undefined> = new Set(["read", "search", "think"]);
const EDITS: ReadonlySet<string | undefined> = new Set(["edit", "delete", "move"]);

/** Whether an agent may use a tool. What a kind or a command that is not known does, nobody can say. */
export function mayUse(call: ToolCall, rules: PermissionRules): boolean {
  const { access, allowed } = rules;
  const kind = kindOf(call);
  if (READS.has(kind)) return true;
  const command = kind === "execute" ? commandIn(call, rules) : undefined;
  if (command !== undefined && readsOnly(command)) return true;
  if (access === "read") return false;
  if (kind === "execute") {
    if (command === undefined) return allowed.includes("Bash");
    return isInTree(foldersOf(command), rules.workTree) || isAllowedCommand(command, allowed);
  }
  if (EDITS.has(kind) && isInTree(pathsOf(call), rules.workTree)) return true;
  return allowed.some((rule) => rule.toLowerCase() === (kind ?? "other"));
}

/** The command that a tool runs in the work tree, and nothing beside it. */
function commandIn(
  call: ToolCall,
  { titleIsCommand, workTree }: PermissionRules,
): string | undefined {
  const places = placesOf(call);
  const isHere = places?.every((path) => path === "" || isWithin(path, workTree, true));
  return isHere === true ? commandOf(call, titleIsCommand) : undefined;
}

/** Options and words without a meaning of their own to a shell. */
const MKDIR = /^mkdir(?: -p)?((?: (?!-)[\w./@+-]+)+)$/;

/** The folders that a command makes, where it does nothing else: some agents write no file into a folder that is not there. */
function foldersOf(command: string): readonly string[] {
  const [, folders = ""] = MKDIR.exec(command.trim()) ?? [];
  return folders.split(" ").filter((folder) => folder !== "");
}

/** Whether there are files, all of them in the work tree and none of them git's own. */
function isInTree(paths: readonly string[], workTree: string): boolean {
  return paths.length > 0 && paths.every((path) => isWithin(path, workTree));
}

/** On a disk that folds case too. */
const isGits = (part: string): boolean => part.toLowerCase() === ".git";

/** What is no path, but some programs make one of: `~/x`, `file:///x`. */
const NO_PATH = /^(?:~|[a-z][a-z+.-]*:)/iu;

/** @param canBeRoot - Whether the work tree itself is in it. @default false */
function isWithin(path: string, workTree: string, canBeRoot: boolean = false): boolean {
  if (NO_PATH.test(path)) return false;
  return (
    isBelow(relative(workTree, resolve(workTree, path)), canBeRoot) &&
    isBelow(relative(withoutLinks(workTree), withoutLinks(resolve(workTree, path))), canBeRoot)
  );
}

function isBelow(inside: string, canBeRoot: boolean): boolean {
  if (inside === "") return canBeRoot;
  const parts = inside.split(sep);
  return !isAbsolute(inside) && parts[0] !== ".." && !parts.some(isGits);
}

/**
 * Which of the options an agent gets for its question: it is allowed this time, or not. `undefined` where it offers
 * none of that kind: then the answer is that nobody answers.
 */
export function choiceOf(
  isAllowed: boolean,
  options: readonly PermissionOption[],
): string | undefined {
  const kinds = isAllowed ? ["allow_once"] : ["reject_once", "reject_always"];
  const chosen = kinds.flatMap((kind) => options.find((option) => option.kind === kind) ?? []);
  return chosen[0]?.optionId;
}

/** Whether what was chosen lets the agent do what it asked for. */
export const isConsent = (
  optionId: string | undefined,
  options: readonly PermissionOption[],
): boolean =>
  options.find((option) => option.optionId === optionId)?.kind?.startsWith("allow") === true;

/** What was refused, for a person, and what of their rules would allow it. */
export function denialOfCall(
  call: ToolCall,
  { access, titleIsCommand }: Pick<PermissionRules, "access" | "titleIsCommand">,
): AgentDenial {
  const { title = "" } = call;
  const kind = kindOf(call) ?? "other";
  const command = kind === "execute" ? commandOf(call, titleIsCommand) : undefined;
  const denial =
    kind === "execute"
      ? denialOf("Bash", { command: command ?? title })
      : {
          what: cleanLine(`${kind} ${pathsOf(call).join(" ") || title}`),
          allow: [cleanLine(kind)],
        };
  const allow = command === undefined && kind === "execute" ? ["Bash"] : denial.allow;
  // Nothing lets a reviewer do more than read.
  return { what: denial.what, allow: access === "read" ? [] : allow };
}
