import { dirname } from "node:path";
import type { AgentDenial, AgentInvoker, AgentRequest } from "./agent.ts";
import * as v from "valibot";
import type { AgentAdapter } from "./adapter.ts";
import type { ChildOutcome } from "./child.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfExit,
  failureOfProcess,
  NOTHING_SPENT,
  programOf,
} from "./agent-process.ts";
import { type ClaudeArgsOptions, claudeArgs } from "./claude/args.ts";
import type { ClaudeResult } from "./claude/event.ts";
import { failureOfResult, kindOfStderr } from "./claude/outcome.ts";
import type { ClaudeMeterOptions } from "./claude/meter.ts";
import { modelOf } from "./claude/models.ts";
import { type ClaudeReading, createClaudeReader } from "./claude/reader.ts";
import { claudeConfigDir, isOnRecord, tokensOnRecord } from "./claude/transcript.ts";
import { agentEnvironment } from "./environment.ts";
import {
  allowedCommands,
  type AllowedCommand,
  commandsNote,
  denialOf,
  scriptsOf,
} from "./permissions.ts";
import { programFile } from "./program-file.ts";
import { failure, NO_SESSION } from "./failure.ts";
import { inTree } from "./in-tree.ts";
import type { TurnLimits } from "./limits.ts";
import { lineByLine } from "./line-splitter.ts";
import { PRESETS } from "./presets.ts";
import { boundAt, MAX_OUTPUT_TOKENS, priceOf } from "./prices.ts";
import { createProcessAgent } from "./process-agent.ts";
import { failureOfSessionId } from "./session-id.ts";
import { watcherFor } from "./watchers.ts";

export type ClaudeAgentOptions = ClaudeArgsOptions &
  AgentProcessOptions & {
    /** The program. @default "claude", looked up on the PATH */
    readonly file?: string | undefined;
    /** Tokens that one response may have. @default 32,000 */
    readonly maxOutputTokens?: number | undefined;
  };

/** How Claude Code came to its end, as far as it matters for what it has cost. */
interface ClaudeEnd {
  /** It could not say all that it had asked for. */
  readonly wasKilled: boolean;
  /** It was told to stop, or killed while it was idle: what it has in the background was not. */
  readonly wasStopped: boolean;
}

/** Each once, however often it was tried. */
function denialsOf(all: ClaudeResult["permission_denials"]): readonly AgentDenial[] {
  const denials = all.map(({ tool_name, tool_input }) => denialOf(tool_name, tool_input));
  return [...new Map(denials.map((denial) => [denial.what, denial])).values()];
}

/** @see SPEC.md, "Cost of Claude Code" */
function costs(
  { result, reportedUsd, meter, hasSpoken }: ClaudeReading,
  { wasKilled, wasStopped }: ClaudeEnd,
): Cost {
  if (!hasSpoken) return NOTHING_SPENT;
  const whole = meter.whole();
  const isReported = result !== undefined && reportedUsd !== undefined;
  const rest = isReported ? meter.unsettled(wasKilled || wasStopped) : whole;
  const costUsd = rest.seenUsd + (isReported ? reportedUsd : 0);
  const pendingUsd = wasKilled || wasStopped ? meter.pendingUsd(wasKilled) : 0;
  const unknownUsd = rest.unseenUsd + pendingUsd;
  if (!isReported && whole.unpricedTokens > 0 && whole.seenUsd === 0) {
    return { costSource: "unknown", unknownUsd };
  }
  if (wasKilled || unknownUsd > 0) return { costUsd, costSource: "partial", unknownUsd };
  return { costUsd, costSource: isReported ? "reported" : "computed" };
}

const endOf = ({ isIdle }: ClaudeReading, outcome: ChildOutcome): ClaudeEnd => ({
  wasKilled: !isIdle && (outcome.stopped !== undefined || isKilled(outcome)),
  wasStopped: outcome.stopped !== undefined || isKilled(outcome),
});

const isKilled = ({ exitCode, exitSignal }: ChildOutcome): boolean =>
  exitSignal !== null || exitCode === null || exitCode > 128;

/** A prompt that begins with a slash would be a command of Claude Code's own, answered by no model. */
const asText = (prompt: string) => (prompt.startsWith("/") ? `\n${prompt}` : prompt);

/**
 * Claude Code as an agent. A turn is a session of its own, with the request's id where it has
 * one, or continues in that session.
 *
 * @see SPEC.md, "Claude Code"
 */
export function createClaudeAgent(options: ClaudeAgentOptions = {}): AgentInvoker {
  const setEnv = {
    DISABLE_AUTOUPDATER: "1",
    [OUTPUT_LIMIT]: String(outputLimitOf(options)),
    ...options.setEnv,
  };
  return createProcessAgent(claudeAdapter(options), { ...options, setEnv });
}

const OUTPUT_LIMIT = "CLAUDE_CODE_MAX_OUTPUT_TOKENS";

/** A limit that the user has set for Claude Code stays. */
function outputLimitOf({ env = process.env, setEnv, maxOutputTokens }: ClaudeAgentOptions): number {
  const said = Number(setEnv?.[OUTPUT_LIMIT] ?? env[OUTPUT_LIMIT]);
  return said > 0 && Number.isSafeInteger(said) ? said : (maxOutputTokens ?? MAX_OUTPUT_TOKENS);
}

/** What Claude Code itself puts before a prompt: about 50 KB of instructions and tools. */
const OWN_PROMPT_TOKENS = 20_000;

/** What is kept with a turn: how much it was sent at first. */
const Context = v.fallback(v.object({ firstPrompt: v.pipe(v.number(), v.minValue(0)) }), {
  firstPrompt: OWN_PROMPT_TOKENS,
});

/** How Claude Code is started and understood. */
export function claudeAdapter(options: ClaudeAgentOptions): AgentAdapter {
  const guard = () => programFile("reviewer-guard");
  const programFor = (
    request: AgentRequest,
    commands: readonly AllowedCommand[] = [],
  ): AgentProgram => ({
    ...programOf(PRESETS.claude, options),
    args: claudeArgs(request, options, { commands, guard }),
    input: asText(request.prompt) + noteFor(request, commands),
  });
  const meterOf = (firstPrompt: number): ClaudeMeterOptions => ({
    prices: options.prices,
    maxOutput: outputLimitOf(options),
    firstPrompt,
    model: modelOf(options.model ?? { ...(options.env ?? process.env) }["ANTHROPIC_MODEL"]),
  });
  const configDirFor = (request: AgentRequest): string =>
    claudeConfigDir(agentEnvironment(request, PRESETS.claude.ownEnv, options), request.workTree);
  const firstPromptOf = (request: AgentRequest): number => {
    const { prompt, systemPrompt, resumesSession = false, sessionId = "" } = request;
    const before = resumesSession ? tokensOnRecord(configDirFor(request), sessionId) : 0;
    const own = OWN_PROMPT_TOKENS + Buffer.byteLength(prompt) + Buffer.byteLength(systemPrompt);
    // As a number that can be kept: no model has room for more.
    return Math.min(own + before, Number.MAX_SAFE_INTEGER);
  };
  const limitsOf = ({ maxCostUsd }: AgentRequest): TurnLimits => ({
    maxCostUsd,
    maxRequests: options.maxRequests,
  });
  const noteFor = ({ access }: AgentRequest, commands: readonly AllowedCommand[]) =>
    access === "read" ? "" : commandsNote(commands, options.allowedTools ?? []);
  /**
   * Of a session that has only just begun nothing may be on record: Claude Code would only say so,
   * which takes as long as its start. Where the model has said something it is asked in any case: what
   * we know of its files may be old.
   */
  const sessionOf = (request: AgentRequest, { sessionId, answered }: ClaudeReading) => {
    if (answered || request.resumesSession) return sessionId;
    const id = sessionId ?? request.sessionId ?? "";
    return isOnRecord(configDirFor(request), id) ? id : "";
  };
  return {
    name: PRESETS.claude.name,
    output: "claude",
    title: PRESETS.claude.title,
    capabilities: PRESETS.claude.capabilities,
    responseBoundUsd(request) {
      const { firstPrompt: promptTokens, maxOutput, model } = meterOf(firstPromptOf(request));
      const price = priceOf(model, options.prices);
      return price && boundAt(price, { promptTokens, maxOutput });
    },
    prepare(request, fileOf) {
      const firstPrompt = firstPromptOf(request);
      const commands = allowedCommands(request.commands ?? [], dirname(fileOf("")));
      return (
        failureOfSessionId(request) ?? {
          program: programFor(request, commands),
          files: scriptsOf(commands),
          context: { firstPrompt },
          watcher: watcherFor({
            kind: "claude",
            meter: meterOf(firstPrompt),
            limits: limitsOf(request),
          }),
        }
      );
    },
    open(request, context, emit) {
      const { firstPrompt } = v.parse(Context, context);
      const { reading, read } = createClaudeReader(
        inTree(emit, request.workTree),
        meterOf(firstPrompt),
        limitsOf(request),
      );
      return {
        // A second reader of the output stops nothing.
        read: lineByLine(read),
        known() {
          const end = { wasKilled: !reading.isIdle, wasStopped: true };
          return { ...costs(reading, end), sessionId: sessionOf(request, reading) };
        },
        result(outcome) {
          const { result, sessionId, version } = reading;
          const program = programFor(request);
          const denials = denialsOf(result?.permission_denials ?? []);
          // Of a session that has begun, standard error may say anything.
          const kind = result || sessionId ? undefined : kindOfStderr(outcome.stderrTail);
          const problem =
            failureOfProcess(outcome, program, options, reading.meter.use().requests) ??
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
            ...(denials.length > 0 && { denials }),
            ...(began ? costs(reading, endOf(reading, outcome)) : NOTHING_SPENT),
            durationMs: outcome.durationMs,
          };
        },
      };
    },
  };
}
