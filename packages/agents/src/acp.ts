import { dirname } from "node:path";
import type { AgentInvoker, AgentRequest } from "./agent.ts";
import { acpCost } from "./acp/cost.ts";
import { type AcpContext, acpContextOf } from "./acp/context.ts";
import { geminiBefore, geminiCost, isRouted } from "./acp/gemini-cost.ts";
import { readGeminiRecord } from "./acp/gemini-record.ts";
import { type AcpOutcomeOptions, failureOfTurn, isRefusal } from "./acp/outcome.ts";
import { createAcpReader } from "./acp/reader.ts";
import { sessionUsdBefore } from "./acp/session-cost.ts";
import type { AcpTurn } from "./acp/turn.ts";
import type { AgentAdapter } from "./adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfProcess,
  NOTHING_SPENT,
  wholePrompt,
} from "./agent-process.ts";
import { type Command, failureOfShell, programOfCommand } from "./command.ts";
import { failure, NO_SESSION } from "./failure.ts";
import { inTree } from "./in-tree.ts";
import { turnLimits } from "./limits.ts";
import { lineByLine } from "./line-splitter.ts";
import {
  allowedCommands,
  type AllowedCommand,
  commandRules,
  commandsNote,
  scriptsOf,
} from "./permissions.ts";
import { createProcessAgent } from "./process-agent.ts";
import { failureOfRepository } from "./repository-programs.ts";
import { watcherFor } from "./watchers.ts";

/** An agent that speaks the Agent Client Protocol, as data. */
export type AcpAgentOptions = Command &
  AgentProcessOptions & {
    /** For people, and for the readers of its turns: `gemini`. */
    readonly name: string;
    /** In a sentence: `Gemini CLI`. @default the name */
    readonly title?: string | undefined;
    /** Its own variables, such as `GEMINI_*`. @default none */
    readonly ownEnv?: readonly string[] | undefined;
    /** What a person does about a missing program. */
    readonly installHint?: string | undefined;
    /** @default the agent's own choice */
    readonly model?: string | undefined;
    /** The variable by which a user chooses it, of an agent that does not tell which one it asks. @default none */
    readonly modelVariable?: string | undefined;
    /**
     * What the coder may do beside editing files in the work tree and running what the request names:
     * `Bash(npm test *)`, or a kind of tool, such as `fetch`. @default none
     */
    readonly allowedTools?: readonly string[] | undefined;
    /** The modes, by the agent's own names, that sessions are put into. @default those that they begin in */
    readonly modes?: Readonly<Partial<Record<AgentRequest["access"], string>>> | undefined;
    /** How to log in where the agent asks for it, by its own id. @default not at all */
    readonly authMethod?: string | undefined;
    /** Whether it says what a turn cost, or its tokens by models with a price. @default false */
    readonly reportsCost?: boolean | undefined;
    /** Whether it continues in sessions of before. @default true */
    readonly resumesSession?: boolean | undefined;
    /** Whether the title of a tool that runs a command is that command. @default false */
    readonly titleIsCommand?: boolean | undefined;
    /** How a text begins that the agent says of itself, and that is no part of its answer. @default none does */
    readonly notices?: RegExp | undefined;
    /** Whether it ends its turn when it may not use a tool: it is then asked to continue without. @default false */
    readonly endsWhenDenied?: boolean | undefined;
    /** Where Gemini CLI keeps its records of sessions, by its environment. @default nowhere */
    readonly recordsIn?:
      | ((env: Readonly<Record<string, string | undefined>>) => string)
      | undefined;
    /** Paths in a repository of which it runs what they name, whatever its settings say: no turn is taken there. @default none */
    readonly runsFrom?: readonly string[] | undefined;
    /** Whether it may run what the repository names. @default false */
    readonly projectSettings?: boolean | undefined;
    /** How an error looks that it tells as if it were an answer; the first group is what it says. @default none */
    readonly errorText?: RegExp | undefined;
  };

/**
 * A program that speaks the Agent Client Protocol, version 1, on its standard input and output, as an agent. It asks
 * before it uses a tool, and is answered by what the turn may do.
 *
 * @throws {AgentsError} `ERR_INVALID_CONFIG` for an empty command.
 * @see SPEC.md, "ACP"
 */
export function createAcpAgent(options: AcpAgentOptions): AgentInvoker {
  return createProcessAgent(acpAdapter(options), options);
}

/** Reasons of a stop after which there is no response more. */
const WHOLE: ReadonlySet<string | undefined> = new Set(["end_turn", "max_turn_requests"]);

function modelOf({
  env = process.env,
  setEnv,
  modelVariable = "",
}: AcpAgentOptions): string | undefined {
  return { ...env, ...setEnv }[modelVariable];
}

/** How an agent of the protocol is started and understood. */
export function acpAdapter(options: AcpAgentOptions): AgentAdapter {
  const { name, title = name, titleIsCommand = false, prices } = options;
  const { ownEnv = [], installHint } = options;
  const program: AgentProgram = {
    title,
    ...programOfCommand(options),
    ownEnv,
    installHint,
    input: "",
  };
  const records = options.recordsIn?.({ ...(options.env ?? process.env), ...options.setEnv });
  const continuedBy = ({ resumesSession = false, sessionId }: AgentRequest) =>
    resumesSession ? sessionId : undefined;
  const turnOf = (request: AgentRequest, commands: readonly AllowedCommand[]): AcpTurn => {
    const { access, workTree } = request;
    const allowed = access === "read" ? [] : (options.allowedTools ?? []);
    return {
      workTree,
      prompt: wholePrompt(request, commandsNote(request, commands, allowed)),
      sessionId: continuedBy(request),
      model: options.model,
      mode: options.modes?.[access],
      authMethod: options.authMethod,
      notices: options.notices?.source,
      endsWhenDenied: options.endsWhenDenied,
      records,
      permissions: {
        access,
        workTree,
        allowed: [...commandRules(commands), ...allowed],
        titleIsCommand,
      },
    };
  };
  const runsFrom = options.projectSettings === true ? [] : (options.runsFrom ?? []);
  const said: AcpOutcomeOptions = { title, errorText: options.errorText };
  return {
    name,
    output: "acp",
    title,
    capabilities: {
      structuredOutput: false,
      choosesSessionId: false,
      reportsCost: options.reportsCost ?? false,
      streamsUsage: false,
      resumesSession: options.resumesSession ?? true,
    },
    prepare(request, fileOf) {
      const { access, resumesSession = false, sessionId = "" } = request;
      if (resumesSession && sessionId === "") {
        return failure("session-missing", "There is no session to continue in.");
      }
      const untrusted = failureOfRepository(title, request.workTree, runsFrom);
      if (untrusted !== undefined) return untrusted;
      const dir = dirname(fileOf(""));
      const named = access === "read" ? [] : (request.commands ?? []);
      const commands = allowedCommands(named, dir);
      const beforeUsd = resumesSession ? sessionUsdBefore(request, dir, sessionId) : 0;
      const conversation = turnOf(request, commands);
      const before =
        records === undefined ? undefined : geminiBefore(records, request, conversation.prompt);
      const context: AcpContext = { protocol: "acp", titleIsCommand, beforeUsd, before };
      const reader = { access, titleIsCommand, beforeUsd };
      return {
        program,
        files: scriptsOf(commands),
        conversation,
        context,
        watcher: watcherFor({ kind: "acp", reader, limits: turnLimits(request, options) }),
      };
    },
    open(request, context, emit) {
      const known = acpContextOf(context);
      const { reading, read } = createAcpReader(inTree(emit, request.workTree), {
        access: request.access,
        ...(known ?? { titleIsCommand }),
        notices: options.notices,
      });
      const cost = (): Cost => {
        const isAnswered = reading.stopReason !== undefined || reading.error !== undefined;
        const model = reading.model ?? options.model ?? modelOf(options);
        const said = acpCost({ ...reading, isAnswered, model }, prices);
        if (records === undefined || !reading.isAsked) return said;
        const record = readGeminiRecord(records, reading.sessionId ?? "");
        const end = {
          before: known?.before,
          isComplete: WHOLE.has(reading.stopReason),
          isRouted: isRouted(options.model ?? reading.model),
          uses: reading.uses,
        };
        return geminiCost(record, end, said, prices);
      };
      /** A session of which nothing was said may be forgotten by the agent. */
      const sessionId = (): string | undefined =>
        reading.hasBegun ? reading.sessionId : continuedBy(request);
      return {
        // A second reader of the output stops nothing.
        read: lineByLine(read),
        known: () => ({ ...cost(), sessionId: sessionId() ?? "" }),
        result(outcome) {
          const problem =
            failureOfProcess(outcome, program, options, reading.tools + 1) ??
            (reading.protocolVersion === undefined
              ? failureOfShell(options, outcome)
              : undefined) ??
            failureOfTurn(reading, request, outcome, said);
          const isRefused = problem !== undefined && isRefusal(problem, reading, said);
          const began = outcome.started && !isRefused;
          const { denials, version, stopReason, text } = reading;
          const continues = problem && NO_SESSION.has(problem.kind) ? undefined : sessionId();
          return {
            ...(problem && { failure: problem }),
            text: stopReason === undefined ? "" : text,
            ...(continues !== undefined && { sessionId: continues }),
            ...(version !== undefined && { agentVersion: version }),
            ...(denials.length > 0 && { denials }),
            ...(began ? cost() : NOTHING_SPENT),
            durationMs: outcome.durationMs,
          };
        },
      };
    },
  };
}
