import type { AgentInvoker, AgentRequest } from "@quasar/loop";
import type { AgentAdapter } from "./adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfExit,
  failureOfProcess,
  NOTHING_SPENT,
} from "./agent-process.ts";
import { type ClaudeArgsOptions, claudeArgs } from "./claude/args.ts";
import { runCost } from "./claude/cost.ts";
import { failureOfResult, kindOfStderr } from "./claude/outcome.ts";
import { type ClaudeReading, createClaudeReader } from "./claude/reader.ts";
import { claudeConfigDir, isOnRecord } from "./claude/transcript.ts";
import { agentEnvironment } from "./environment.ts";
import { failure, NO_SESSION } from "./failure.ts";
import { createProcessAgent } from "./process-agent.ts";
import { failureOfSessionId } from "./session-id.ts";

export type ClaudeAgentOptions = ClaudeArgsOptions &
  AgentProcessOptions & {
    /** The program. @default "claude", looked up on the PATH */
    readonly file?: string | undefined;
  };

function costs({ result, costUsd }: ClaudeReading): Cost {
  const reported = result && runCost(result);
  if (reported !== undefined) {
    return { costUsd: reported, costSource: "reported" };
  }
  if (costUsd === undefined) {
    return { costSource: "unknown" };
  }
  return { costUsd, costSource: result ? "computed" : "partial" };
}

/** A prompt that begins with a slash would be a command of Claude Code's own, answered by no model. */
const asText = (prompt: string) => (prompt.startsWith("/") ? `\n${prompt}` : prompt);

/**
 * Claude Code as an agent. A turn is a session of its own, with the request's id where it has
 * one, or goes on in that session.
 *
 * @see SPEC.md, "Claude Code"
 */
export function createClaudeAgent(options: ClaudeAgentOptions = {}): AgentInvoker {
  const setEnv = { DISABLE_AUTOUPDATER: "1", ...options.setEnv };
  return createProcessAgent(claudeAdapter(options), { ...options, setEnv });
}

const OWN_ENV: readonly string[] = ["ANTHROPIC_*", "CLAUDE_*"];

function claudeAdapter(options: ClaudeAgentOptions): AgentAdapter {
  const programFor = (request: AgentRequest): AgentProgram => ({
    title: "Claude Code",
    file: options.file ?? "claude",
    args: claudeArgs(request, options),
    ownEnv: OWN_ENV,
    input: asText(request.prompt),
    installHint: "Install it with: npm install -g @anthropic-ai/claude-code",
  });
  /**
   * Of a session that has only just begun nothing may be on record: Claude Code would only say so,
   * which takes as long as its start. Where the model has said something it is asked in any case: what
   * we know of its files may be old.
   */
  const sessionOf = (request: AgentRequest, { sessionId, answered }: ClaudeReading) => {
    if (answered || request.resumesSession) return sessionId;
    const env = agentEnvironment(request, OWN_ENV, options);
    const id = sessionId ?? request.sessionId ?? "";
    return isOnRecord(claudeConfigDir(env, request.workDir), id) ? id : "";
  };
  return {
    name: "claude",
    capabilities: {
      structuredOutput: true,
      choosesSessionId: true,
      reportsCost: true,
      streamsUsage: true,
      resumesSession: true,
    },
    prepare(request) {
      const { maxCostUsd } = request;
      return (
        failureOfSessionId(request) ?? {
          program: programFor(request),
          watcher: maxCostUsd === undefined ? undefined : { kind: "claude", maxCostUsd },
        }
      );
    },
    open(request, _context, emit) {
      const { reading, read } = createClaudeReader(emit);
      return {
        read,
        known: () => ({ ...costs(reading), sessionId: sessionOf(request, reading) }),
        result(outcome) {
          const { result, sessionId, version } = reading;
          const program = programFor(request);
          // Of a session that has begun, standard error may say anything.
          const kind = result || sessionId ? undefined : kindOfStderr(outcome.stderrTail);
          const problem =
            failureOfProcess(outcome, program, options) ??
            (result && failureOfResult(result, request, reading)) ??
            (kind && failure(kind, `Claude Code: ${outcome.stderrTail}`)) ??
            failureOfExit(outcome, program.title) ??
            (result ? undefined : failure("bad-output", "Claude Code ended without a result."));
          const began = outcome.started && !(problem && NO_SESSION.has(problem.kind));
          return {
            ...(problem && { failure: problem }),
            text: result && !result.is_error ? result.result : "",
            ...(result?.structured_output !== undefined && {
              structured: result.structured_output,
            }),
            ...(sessionId && { sessionId }),
            ...(version && { agentVersion: version }),
            ...(began ? costs(reading) : NOTHING_SPENT),
            durationMs: outcome.durationMs,
          };
        },
      };
    },
  };
}
