import { dirname, join } from "node:path";
import * as v from "valibot";
import type { AgentInvoker, AgentRequest } from "./agent.ts";
import type { AgentAdapter } from "./adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  outputLimitOf,
  OWN_PROMPT_TOKENS,
  programOf,
} from "./agent-process.ts";
import type { ClaudeMeterOptions } from "./claude/meter.ts";
import { isOnRecord } from "./claude/transcript.ts";
import { openTurn } from "./claude/turn.ts";
import { agentEnvironment } from "./environment.ts";
import { turnLimits } from "./limits.ts";
import { ownRewrites } from "./own-rewrites.ts";
import { allowedCommands, type AllowedCommand, commandsNote, scriptsOf } from "./permissions.ts";
import { PRESETS } from "./presets.ts";
import { boundAt, NO_TOKENS, priceOf, type Tokens } from "./prices.ts";
import { createProcessAgent } from "./process-agent.ts";
import { type QwenArgsOptions, qwenArgs, trustsProject } from "./qwen/args.ts";
import { QWEN } from "./qwen/dialect.ts";
import { qwenDir, type QwenRecord, readQwenRecord } from "./qwen/record.ts";
import { configuredModel, holdQwen } from "./qwen/settings.ts";
import { failureOfSessionId } from "./session-id.ts";
import { watcherFor } from "./watchers.ts";
import { withoutLinks } from "@quasar/process/files";

export type QwenAgentOptions = QwenArgsOptions &
  AgentProcessOptions & {
    /** The program. @default "qwen", looked up on the PATH */
    readonly file?: string | undefined;
    /** Tokens that one response may have. @default 32,000 */
    readonly maxOutputTokens?: number | undefined;
  };

const PRESET = PRESETS.qwen;
const OUTPUT_LIMIT = "QWEN_CODE_MAX_OUTPUT_TOKENS";

/**
 * Qwen Code as an agent. A turn is a session of its own, with the request's id where it has one, or continues in
 * that session.
 *
 * @see SPEC.md, "Qwen Code"
 */
export function createQwenAgent(options: QwenAgentOptions = {}): AgentInvoker {
  const setEnv = {
    [OUTPUT_LIMIT]: String(outputLimitOf(OUTPUT_LIMIT, options)),
    ...options.setEnv,
  };
  return createProcessAgent(qwenAdapter(options), { ...options, setEnv });
}

const count = v.pipe(v.number(), v.minValue(0));

/** What is kept with a turn: what its session had used before, and how much it was sent at first. */
const Context = v.fallback(
  v.object({
    before: v.optional(
      v.object({
        ...{ input: count, output: count, cacheRead: count, cacheWrite: count },
        ...{ cacheWriteLong: count, webSearches: count },
      }),
    ),
    firstPrompt: count,
  }),
  { firstPrompt: OWN_PROMPT_TOKENS },
);

interface Beginning {
  /** `undefined`: nobody can say. */
  readonly before?: Tokens | undefined;
  readonly firstPrompt: number;
}

/**
 * A prompt as text: one that begins with a slash would be a command of Qwen Code's own, and what follows an `@` a
 * file to be read into it.
 */
const asText = (prompt: string): string =>
  (prompt.startsWith("/") ? `\n${prompt}` : prompt).replaceAll("@", "\\@");

/** How Qwen Code is started and understood. */
export function qwenAdapter(options: QwenAgentOptions): AgentAdapter {
  const envOf = (request: AgentRequest) => agentEnvironment(request, PRESET.ownEnv, options);
  const dirOf = (request: AgentRequest): string => qwenDir(envOf(request), request.workTree);
  const programFor = (
    request: AgentRequest,
    commands: readonly AllowedCommand[] = [],
  ): AgentProgram => ({
    ...programOf(PRESET, options),
    args: qwenArgs(request, options, { commands, workTree: withoutLinks(request.workTree) }),
    input: asText(request.prompt + commandsNote(request, commands, options.allowedTools)),
  });
  const modelOf = (request: AgentRequest): string =>
    options.model ?? envOf(request)["OPENAI_MODEL"] ?? configuredModel(dirOf(request)) ?? "";
  const meterOf = (request: AgentRequest, beginning: Beginning): ClaudeMeterOptions => ({
    ...beginning,
    prices: options.prices,
    maxOutput: outputLimitOf(OUTPUT_LIMIT, options),
    model: modelOf(request),
  });
  const recordOf = (request: AgentRequest): QwenRecord | undefined => {
    const { resumesSession = false, sessionId = "" } = request;
    return resumesSession
      ? readQwenRecord(dirOf(request), sessionId)
      : { used: NO_TOKENS, promptTokens: 0 };
  };
  const beginningOf = (request: AgentRequest): Beginning => {
    const { prompt, systemPrompt } = request;
    const record = recordOf(request);
    const own = OWN_PROMPT_TOKENS + Buffer.byteLength(prompt) + Buffer.byteLength(systemPrompt);
    return { before: record?.used, firstPrompt: own + (record?.promptTokens ?? 0) };
  };
  return {
    name: PRESET.name,
    output: "qwen",
    title: PRESET.title,
    capabilities: PRESET.capabilities,
    responseBoundUsd(request) {
      const price = priceOf(modelOf(request), options.prices);
      const { firstPrompt: promptTokens } = beginningOf(request);
      return (
        price && boundAt(price, { promptTokens, maxOutput: outputLimitOf(OUTPUT_LIMIT, options) })
      );
    },
    prepare(request, fileOf) {
      const refusal = failureOfSessionId(request);
      if (refusal) return refusal;
      const beginning = beginningOf(request);
      const commands = allowedCommands(request.commands ?? [], dirname(fileOf("")));
      const hold = holdQwen({
        workTree: withoutLinks(request.workTree),
        isTrusted: trustsProject(request, options),
        env: envOf(request),
        fileOf,
      });
      if ("kind" in hold) return hold;
      return {
        program: { ...programFor(request, commands), setEnv: hold.env },
        files: { ...scriptsOf(commands), ...hold.files },
        // Qwen Code writes the version of the form in which it reads them.
        rewrites: ownRewrites(join(request.workTree, ".qwen", "settings.json"), "$version"),
        context: beginning,
        watcher: watcherFor({
          kind: "qwen",
          meter: meterOf(request, beginning),
          limits: turnLimits(request, options),
        }),
      };
    },
    open(request, context, emit) {
      return openTurn(request, emit, {
        dialect: QWEN,
        program: () => programFor(request),
        process: options,
        meter: meterOf(request, v.parse(Context, context)),
        limits: turnLimits(request, options),
        isOnRecord: (id) => isOnRecord(dirOf(request), id, "chats"),
      });
    },
  };
}
