import { cleanLine } from "../clean.ts";
import type { Prose } from "../classify.ts";
import { type ClaudeEvent, type ClaudeResult, parseClaudeEvent } from "./event.ts";
import { STDERR } from "./outcome.ts";

/** What differs between the programs that speak Claude Code's `stream-json`. */
export interface ClaudeDialect {
  /** In a sentence: `Claude Code`. */
  readonly title: string;
  /** A line of output in Claude Code's words; `undefined` for noise. */
  readonly parse: (line: string) => ClaudeEvent | undefined;
  /** Whether it stops by itself over what a turn may cost; else it is stopped where it asks the model again. */
  readonly stopsItself: boolean;
  /** The tool by which it gives a structured answer. */
  readonly answeringTool: string;
  /** A tool as it is shown to people. */
  readonly toolName: (name: string) => string;
  /** What Claude Code calls a tool that has another name here, in the rules that allow it. */
  readonly toolNames: ReadonlyMap<string, string>;
  /** What its words in a failed result mean beside those of Claude Code, and before them. */
  readonly said: Prose;
  /** What it prints on standard error when it never begins. */
  readonly stderr: Prose;
}

/** A denied tool by the name that Claude Code has for it, and what it was to do. */
export const deniedTool = (
  { tool_name, tool_input }: ClaudeResult["permission_denials"][number],
  { toolNames }: Pick<ClaudeDialect, "toolNames">,
) => [toolNames.get(tool_name) ?? tool_name, tool_input] as const;

export const CLAUDE: ClaudeDialect = {
  title: "Claude Code",
  parse: parseClaudeEvent,
  stopsItself: true,
  answeringTool: "StructuredOutput",
  toolName: cleanLine,
  toolNames: new Map(),
  said: [],
  stderr: STDERR,
};
