import type { AgentEvent } from "../agent.ts";
import type { StopReason } from "../child.ts";
import { cleanLine } from "../clean.ts";
import { denialOf } from "../permissions.ts";
import { reasonToStop, type TurnLimits, type TurnUse } from "../limits.ts";
import { priceOf, tokenLimit, tokensBetween } from "../prices.ts";
import { costOfResult } from "./cost.ts";
import { CLAUDE, type ClaudeDialect, deniedTool } from "./dialect.ts";
import type { ClaudeEvent, ClaudeResult } from "./event.ts";
import { type ClaudeMeter, type ClaudeMeterOptions, createClaudeMeter } from "./meter.ts";
import type { ClaudeTrace } from "./outcome.ts";
import { joined } from "./results.ts";

type Of<T extends ClaudeEvent["type"]> = Extract<ClaudeEvent, { type: T }>;

/** What has been read of a run. */
export interface ClaudeReading extends ClaudeTrace {
  /** All results, as one. */
  readonly result: ClaudeResult | undefined;
  /** Whether it has said anything at all. */
  readonly hasSpoken: boolean;
  /** Whether nothing has come since its last result. */
  readonly isIdle: boolean;
  /** US dollars by its results; `undefined` when one of them does not say it. */
  readonly reportedUsd: number | undefined;
  readonly meter: ClaudeMeter;
  readonly sessionId: string | undefined;
  /** Whether the model has begun to answer. */
  readonly answered: boolean;
  readonly version: string | undefined;
}

export interface ClaudeReader {
  readonly reading: ClaudeReading;
  /** Takes a line of output. A returned reason says to stop the process. */
  readonly read: (line: string) => StopReason | undefined;
}

/** What a tool works on, in a few words. */
function detailOf(input: Readonly<Record<string, unknown>>): string {
  const values = ["command", "file_path", "pattern", "path", "url"].map((key) => input[key]);
  return cleanLine(values.find((value) => typeof value === "string") ?? "");
}

/**
 * Reads Claude Code's events as they come.
 *
 * @param dialect - Of the program that speaks.
 * @param limits - A response that begins over them is what this reader says to stop at; where the program does not stop
 *   by itself, what asks for that response.
 */
export function createClaudeReader(
  emit: (event: AgentEvent) => void,
  options: ClaudeMeterOptions,
  limits: TurnLimits = {},
  dialect: ClaudeDialect = CLAUDE,
): ClaudeReader {
  const meter = createClaudeMeter(options);
  const told = new Set<string>();
  const reading: { -readonly [K in keyof ClaudeReading]: ClaudeReading[K] } = {
    result: undefined,
    hasSpoken: false,
    isIdle: false,
    reportedUsd: 0,
    meter,
    sessionId: undefined,
    answered: false,
    version: undefined,
    resetsAt: undefined,
    acted: false,
  };

  const nameModel = (model: string) => {
    if (model === "" || told.has(model)) return;
    told.add(model);
    if (priceOf(model, options.prices) !== undefined) return;
    const { maxCostUsd } = limits;
    const maxTokens = maxCostUsd === undefined ? undefined : tokenLimit(maxCostUsd);
    emit({ type: "unpriced", model: cleanLine(model), maxTokens });
  };
  /** A response has begun that may be one too many. */
  const onResponse = (before: TurnUse) =>
    reasonToStop({ ...before, requests: meter.use().requests }, limits);

  /** It asks the model again. */
  const onAsking = (): StopReason | undefined =>
    dialect.stopsItself ? undefined : reasonToStop(meter.use(), limits);

  const onSystem = (event: Of<"system">): StopReason | undefined => {
    if (event.subtype === "init") {
      nameModel(event.model);
      meter.name(event.model);
      reading.version = event.claude_code_version ?? undefined;
      const { session_id: sessionId } = event;
      if (sessionId && sessionId !== reading.sessionId) {
        reading.sessionId = sessionId;
        emit({ type: "session", sessionId });
      }
    } else if (event.subtype === "status" && event.status === "requesting") {
      meter.request();
    } else if (event.subtype === "task_started" && event.task_type === "local_agent") {
      meter.open(event.tool_use_id, event.is_backgrounded);
    } else if (event.subtype === "task_notification") {
      meter.close(event.tool_use_id);
    } else if (event.subtype === "api_retry") {
      if (event.status === "dropped") meter.drop();
      else meter.request();
      const { attempt, max_retries: of, error_status: status, error } = event;
      const what = cleanLine(`${status ?? ""} ${error}`);
      emit({ type: "retry", message: `attempt ${attempt ?? "?"} of ${of ?? "?"}: ${what}` });
      return onAsking();
    }
    return undefined;
  };
  const onStream = ({ event, parent_tool_use_id: thread }: Of<"stream_event">) => {
    reading.answered = true;
    if (event.type === "message_start") {
      const before = meter.use();
      nameModel(event.message.model);
      meter.start(thread, event.message.id, event.message.model, event.message.usage);
      return onResponse(before);
    }
    meter.update(thread, event.usage);
    emit({ type: "usage", costUsd: meter.whole().seenUsd });
    return undefined;
  };
  const onAssistant = ({ message, parent_tool_use_id: thread }: Of<"assistant">, bytes: number) => {
    reading.answered = true;
    let reason: StopReason | undefined;
    // What Claude Code says in the model's name has no model.
    if (message.usage && message.model !== "<synthetic>") {
      const before = meter.use();
      nameModel(message.model);
      meter.see(thread, message.id, message.model, message.usage, bytes);
      if (meter.use().requests > before.requests) reason = onResponse(before);
    }
    for (const block of message.content) {
      if (block.type === "text") {
        emit({ type: "text", text: block.text });
      } else if (block.type === "tool_use" && block.name === dialect.answeringTool) {
        emit({ type: "text", text: JSON.stringify(block.input) });
      } else if (block.type === "tool_use") {
        emit({ type: "tool", name: dialect.toolName(block.name), detail: detailOf(block.input) });
      }
    }
    return reason;
  };
  const onUser = (
    { message, parent_tool_use_id: thread }: Of<"user">,
    bytes: number,
  ): StopReason | undefined => {
    meter.send(thread, bytes);
    for (const block of message.content) {
      // A subagent's answer; one that continues in the background is answered for at once.
      const isAnswer = block.type === "tool_result" && !meter.isBackground(block.tool_use_id);
      if (isAnswer) meter.close(block.tool_use_id);
    }
    for (const block of message.content) {
      if (block.type === "tool_result" && !block.is_error) {
        reading.acted = true;
      }
    }
    return onAsking();
  };

  const onResult = (result: ClaudeResult) => {
    for (const denial of result.permission_denials) {
      emit({ type: "denied", what: denialOf(...deniedTool(denial, dialect)).what });
    }
    if (options.before && result.usage) meter.complete(tokensBetween(options.before, result.usage));
    const costUsd = costOfResult(result, options.prices);
    const { reportedUsd } = reading;
    reading.reportedUsd =
      costUsd === undefined || reportedUsd === undefined ? undefined : reportedUsd + costUsd;
    reading.result = joined(reading.result, result);
    reading.sessionId ??= result.session_id ?? undefined;
    meter.settle(result.terminal_reason.startsWith("aborted"));
  };

  return {
    reading,
    read(line) {
      const event = dialect.parse(line);
      reading.hasSpoken ||= line.trim() !== "";
      if (event !== undefined) reading.isIdle = event.type === "result";
      switch (event?.type) {
        case "system":
          return onSystem(event);
        case "rate_limit_event":
          if (event.rate_limit_info.status === "rejected" && event.rate_limit_info.resetsAt) {
            reading.resetsAt = new Date(event.rate_limit_info.resetsAt * 1000);
          }
          break;
        case "stream_event":
          return onStream(event);
        case "assistant":
          return onAssistant(event, event.line_bytes ?? Buffer.byteLength(line));
        case "user":
          return onUser(event, event.line_bytes ?? Buffer.byteLength(line));
        case "cut_line":
          meter.sendAll(event.line_bytes);
          break;
        case "result":
          onResult(event);
          break;
        case undefined:
      }
      return undefined;
    },
  };
}
