import type { AgentEvent, AgentFailure, AgentInvoker, AgentRequest } from "./agent.ts";
import type { AgentAdapter } from "./adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfExit,
  failureOfProcess,
  NOTHING_SPENT,
} from "./agent-process.ts";
import type { ChildOutcome } from "./child.ts";
import { AgentsError } from "./errors.ts";
import { isFailedStart } from "./failed-start.ts";
import { failure } from "./failure.ts";
import { createKeptText } from "./kept-text.ts";
import { checksNote } from "./permissions.ts";
import { createProcessAgent } from "./process-agent.ts";

/** A command line for a shell, or a program with arguments for none. */
export type Command =
  | { readonly command: string; readonly file?: undefined; readonly args?: undefined }
  | {
      readonly command?: undefined;
      readonly file: string;
      readonly args?: readonly string[] | undefined;
    };

export type CommandAgentOptions = Command &
  AgentProcessOptions & {
    /** For people. @default "command" */
    readonly name?: string | undefined;
  };

/**
 * How many characters of an answer are kept: of a longer one the beginning and the end. More than any model reads
 * of a coder's; of a review nothing may be missing.
 */
const MAX_ANSWER = { coder: 2 ** 20, reviewer: 8 * 2 ** 20 } as const;

const COST_UNKNOWN: Cost = { costSource: "unknown" };

/** What a command prints is what it says. */
export function printed(lines: readonly string[]): AgentEvent {
  return { type: "text", text: `${lines.join("\n")}\n` };
}

/** Exit code of a shell that did not find the command. */
const SHELL_NOT_FOUND = 127;

/** The failure of a command line that is not there. */
export function failureOfShell(
  { command }: Command,
  { exitCode }: Pick<ChildOutcome, "exitCode">,
): AgentFailure | undefined {
  return command !== undefined && exitCode === SHELL_NOT_FOUND
    ? failure("not-installed", `The shell did not find: ${command}`)
    : undefined;
}

/** @throws {AgentsError} `ERR_INVALID_CONFIG` for an empty command. */
export function programOfCommand(options: Command): Pick<AgentProgram, "file" | "args"> {
  const { command, file = "", args = [] } = options;
  if ((command ?? file).trim() === "") {
    throw new AgentsError("ERR_INVALID_CONFIG", "a command agent needs a command or a file");
  }
  return command === undefined ? { file, args } : { file: "/bin/sh", args: ["-c", command] };
}

/**
 * Any command line as an agent: instructions and prompt on standard input, the answer is what it
 * prints. An exit code other than 0 is a failure. What it costs is unknown.
 *
 * @throws {AgentsError} `ERR_INVALID_CONFIG` for an empty command.
 */
export function createCommandAgent(options: CommandAgentOptions): AgentInvoker {
  const name = options.name ?? "command";
  const start = programOfCommand(options);
  const programFor = ({ systemPrompt, prompt, commands = [] }: AgentRequest): AgentProgram => {
    const input = `${systemPrompt}\n\n${prompt}${checksNote(commands)}\n`;
    return { title: `"${name}"`, ...start, ownEnv: [], input };
  };
  const adapter: AgentAdapter = {
    name,
    capabilities: {
      structuredOutput: false,
      choosesSessionId: false,
      reportsCost: false,
      streamsUsage: false,
      resumesSession: false,
    },
    prepare: (request) => ({ program: programFor(request) }),
    open(request, _context, emit) {
      const lines = createKeptText(MAX_ANSWER[request.role]);
      return {
        read(some) {
          for (const line of some) lines.add(line);
          emit(printed(some));
        },
        omit: lines.omit,
        known: () => ({ ...COST_UNKNOWN, sessionId: undefined }),
        result(outcome) {
          const { title } = programFor(request);
          const text = lines.text().trim();
          // What is left out of a review may be what speaks against an approval.
          const isUnread = request.role === "reviewer" && lines.isCut();
          const problem =
            failureOfProcess(outcome, programFor(request), options) ??
            failureOfShell(options, outcome) ??
            failureOfExit(outcome, title) ??
            (isUnread
              ? failure("output-too-large", `${title} wrote a review that is too long to be read.`)
              : undefined) ??
            (request.role === "reviewer" && text === ""
              ? failure("empty-answer", `${title} ended without an answer.`)
              : undefined);
          return {
            ...(problem && { failure: problem }),
            text,
            ...(outcome.started && !isFailedStart(outcome, text) ? COST_UNKNOWN : NOTHING_SPENT),
            durationMs: outcome.durationMs,
          };
        },
      };
    },
  };
  return createProcessAgent(adapter, options);
}
