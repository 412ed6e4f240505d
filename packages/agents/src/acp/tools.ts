import { cleanLine } from "../clean.ts";
import { toolName } from "../tool-names.ts";
import type { ToolCall } from "./event.ts";

/** What is known of the tools that are in use: an agent tells it bit by bit. */
export interface ToolCalls {
  /** @returns All that is known of it now. */
  merge(call: ToolCall): ToolCall;
}

export function createToolCalls(): ToolCalls {
  const open = new Map<string, ToolCall>();
  return {
    merge(call) {
      const said = Object.entries(call).filter(([, value]) => value !== undefined);
      const before = open.get(call.toolCallId);
      const known = { ...before, ...(Object.fromEntries(said) as ToolCall) };
      // What runs a command stays that, whatever it is called later.
      if (before?.kind === "execute") known.kind = before.kind;
      if (isOver(known)) open.delete(call.toolCallId);
      else open.set(call.toolCallId, known);
      return known;
    },
  };
}

export const isOver = ({ status }: ToolCall): boolean =>
  status === "completed" || status === "failed";

/** Where agents put the path of a file in what they give a tool. */
const PATH_KEYS: ReadonlySet<string> = new Set([
  ...["path", "file_path", "filePath", "fileName", "absolute_path", "abs_path", "source"],
  ...["destination", "dest", "target", "to", "new_path", "newPath", "notebook_path"],
]);
/** How deep it is searched for. */
const DEPTH = 4;

/** The files that a tool is said to work on, as the agent writes them. */
export function pathsOf({ locations = [], content = [], rawInput = {} }: ToolCall): string[] {
  return [...new Set([...pathsIn(locations), ...pathsIn(content), ...pathsIn(rawInput)])];
}

function pathsIn(value: unknown, depth: number = DEPTH): readonly string[] {
  if (typeof value !== "object" || value === null || depth === 0) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === "string"
      ? [each].filter((path) => path !== "" && PATH_KEYS.has(key))
      : pathsIn(each, depth - 1),
  );
}

/** By which a tool runs something, whatever kind it is said to be. */
const RUNS = ["command", "commands", "cmd", "script", "args", "shell"];

/** What a tool does, by what it is given rather than by what it is called. */
export function kindOf({ kind, rawInput = {}, content = [] }: ToolCall): string | undefined {
  if (RUNS.some((key) => rawInput[key] !== undefined)) return "execute";
  const isDiff = content.some(
    (each) => typeof each === "object" && each !== null && "type" in each && each.type === "diff",
  );
  return isDiff && kind !== "execute" ? "edit" : kind;
}

/** What else a command may have: where it runs, what for, and how long. */
const BESIDE_COMMAND: ReadonlySet<string> = new Set([
  ...["command", "commands", "description", "timeout", "cwd", "directory", "dir_path"],
  ...["is_background", "run_in_background", "background", "mode", "sessionId", "initial_wait"],
]);
const PLACES = ["cwd", "directory", "dir_path"];

/** Where a command is said to run; `undefined`: something is given to it that nobody understands. */
export function placesOf({ rawInput = {} }: ToolCall): readonly string[] | undefined {
  if (Object.keys(rawInput).some((key) => !BESIDE_COMMAND.has(key))) return undefined;
  const { command, commands } = rawInput;
  const isSame = commands === undefined || JSON.stringify(commands) === JSON.stringify([command]);
  if (!isSame) return undefined;
  return PLACES.flatMap((key) => (typeof rawInput[key] === "string" ? [rawInput[key]] : []));
}

/**
 * A command in the title that Gemini CLI gives it, then where it runs, and what the model says of it. After a word
 * no shell takes a parenthesis for the beginning of another command; after an operator it does.
 */
const COMMAND_IN_TITLE = /^([^()\n]*?[^()\s;|&])(?: \[[^[\]\n]*\])?(?: \([^()\n]*\))?$/;

/**
 * The command line that a tool runs; `undefined` where it is not told. A title tells it for certain only of an agent
 * of which that is known: others put the model's own words there.
 */
export function commandOf(
  { rawInput, title = "" }: ToolCall,
  titleIsCommand: boolean,
): string | undefined {
  const command = rawInput?.["command"];
  if (typeof command === "string") return command.trim();
  return titleIsCommand ? (COMMAND_IN_TITLE.exec(title)?.[1] ?? title).trim() : undefined;
}

/** A tool as the event names it; `undefined` until enough of it is known. */
export function toldAs(
  call: ToolCall,
  titleIsCommand: boolean,
): { readonly name: string; readonly detail: string } | undefined {
  const { kind = "other", title = "", status } = call;
  const command = kind === "execute" ? commandOf(call, titleIsCommand) : undefined;
  const paths = kind === "execute" ? [] : pathsOf(call);
  const detail = command ?? (paths.length > 0 ? paths.join(" ") : undefined);
  const isEarly = (status ?? "pending") === "pending" && detail === undefined;
  if (isEarly) return undefined;
  return { name: toolName("acp", kind), detail: cleanLine(detail ?? title) };
}
