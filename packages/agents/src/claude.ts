import { dirname } from "node:path";
import type { AgentInvoker, AgentRequest } from "./agent.ts";
import * as v from "valibot";
import type { AgentAdapter } from "./adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  outputLimitOf,
  OWN_PROMPT_TOKENS,
  programOf,
} from "./agent-process.ts";
import { type ClaudeArgsOptions, claudeArgs } from "./claude/args.ts";
import { CLAUDE } from "./claude/dialect.ts";
import type { ClaudeMeterOptions } from "./claude/meter.ts";
import { modelOf } from "./claude/models.ts";
import { claudeConfigDir, isOnRecord, tokensOnRecord } from "./claude/transcript.ts";
import { openTurn } from "./claude/turn.ts";
import { agentEnvironment } from "./environment.ts";
import { allowedCommands, type AllowedCommand, commandsNote, scriptsOf } from "./permissions.ts";
import { programFile } from "./program-file.ts";
import { turnLimits } from "./limits.ts";
import { PRESETS } from "./presets.ts";
import { boundAt, priceOf } from "./prices.ts";
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
    [OUTPUT_LIMIT]: String(outputLimitOf(OUTPUT_LIMIT, options)),
    ...options.setEnv,
  };
  return createProcessAgent(claudeAdapter(options), { ...options, setEnv });
}

const OUTPUT_LIMIT = "CLAUDE_CODE_MAX_OUTPUT_TOKENS";

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
    input: asText(request.prompt) + commandsNote(request, commands, options.allowedTools),
  });
  const meterOf = (firstPrompt: number): ClaudeMeterOptions => ({
    prices: options.prices,
    maxOutput: outputLimitOf(OUTPUT_LIMIT, options),
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
            limits: turnLimits(request, options),
          }),
        }
      );
    },
    open(request, context, emit) {
      const { firstPrompt } = v.parse(Context, context);
      return openTurn(request, emit, {
        dialect: CLAUDE,
        program: () => programFor(request),
        process: options,
        meter: meterOf(firstPrompt),
        limits: turnLimits(request, options),
        isOnRecord: (id) => isOnRecord(configDirFor(request), id),
      });
    },
  };
}
