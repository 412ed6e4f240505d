import { cleanLine } from "../clean.ts";
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
      const known = { ...open.get(call.toolCallId), ...(Object.fromEntries(said) as ToolCall) };
      if (isOver(known)) open.delete(call.toolCallId);
      else open.set(call.toolCallId, known);
      return known;
    },
  };
}

export const isOver = ({ status }: ToolCall): boolean =>
  status === "completed" || status === "failed";

/** Where agents put the path of a file in what they give a tool. */
const PATH_KEYS = ["path", "file_path", "filePath", "fileName", "absolute_path", "abs_path"];

/** The files that a tool is said to work on, as the agent writes them. */
export function pathsOf({ locations = [], content = [], rawInput = {} }: ToolCall): string[] {
  const paths = [...locations, ...content, ...PATH_KEYS.map((key) => ({ path: rawInput[key] }))];
  return [
    ...new Set(
      paths.flatMap((each) => {
        const path = typeof each === "object" && each !== null && "path" in each ? each.path : "";
        return typeof path === "string" && path !== "" ? [path] : [];
      }),
    ),
  ];
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

/** As other agents' tools are called, where people know them by that. */
const NAMES: Readonly<Record<string, string>> = { execute: "shell" };

/** A tool as it is told; `undefined` until enough of it is known. */
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
  return { name: NAMES[kind] ?? cleanLine(kind), detail: cleanLine(detail ?? title) };
}
