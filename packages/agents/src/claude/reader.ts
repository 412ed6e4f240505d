import type { AgentEvent } from "@quasar/loop";
import type { StopReason } from "../child.ts";
import { cleanLine } from "../clean.ts";
import { createClaudeMeter } from "./cost.ts";
import { type ClaudeEvent, type ClaudeResult, parseClaudeEvent } from "./event.ts";
import type { ClaudeTrace } from "./outcome.ts";

type Of<T extends ClaudeEvent["type"]> = Extract<ClaudeEvent, { type: T }>;

/** What has been read of a run. */
export interface ClaudeReading extends ClaudeTrace {
  readonly result: ClaudeResult | undefined;
  readonly sessionId: string | undefined;
  /** Whether the model has begun to answer. */
  readonly answered: boolean;
  readonly version: string | undefined;
  /** By the stream; `undefined` when a model's price is not known. */
  readonly costUsd: number | undefined;
}

export interface ClaudeReader {
  readonly reading: ClaudeReading;
  /** Takes a line of output. A returned reason says to stop the process. */
  readonly read: (line: string) => StopReason | undefined;
}

const WRITES: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);

/** What a tool works on, in a few words. */
function detailOf(input: Readonly<Record<string, unknown>>): string {
  const values = ["command", "file_path", "pattern", "path", "url"].map((key) => input[key]);
  return cleanLine(values.find((value) => typeof value === "string") ?? "");
}

/**
 * Reads Claude Code's events as they come.
 *
 * @param maxCostUsd - Claude Code itself stops over this; a response that begins all the same is
 *   what this reader says to stop at.
 */
export function createClaudeReader(
  emit: (event: AgentEvent) => void,
  maxCostUsd: number = Number.POSITIVE_INFINITY,
): ClaudeReader {
  const meter = createClaudeMeter();
  const tools = new Map<string, string>();
  const reading: { -readonly [K in keyof ClaudeReading]: ClaudeReading[K] } = {
    result: undefined,
    sessionId: undefined,
    answered: false,
    version: undefined,
    costUsd: 0,
    resetsAt: undefined,
    wrote: false,
    acted: false,
  };

  const onSystem = (event: Of<"system">) => {
    if (event.subtype === "init") {
      reading.version = event.claude_code_version ?? undefined;
      const { session_id: sessionId } = event;
      if (sessionId && sessionId !== reading.sessionId) {
        reading.sessionId = sessionId;
        emit({ type: "session", sessionId });
      }
    } else if (event.subtype === "api_retry") {
      const { attempt, max_retries: of, error_status: status, error } = event;
      const what = cleanLine(`${status ?? ""} ${error}`);
      emit({ type: "retry", message: `attempt ${attempt ?? "?"} of ${of ?? "?"}: ${what}` });
    }
  };
  const onStream = ({ event, parent_tool_use_id: thread }: Of<"stream_event">) => {
    reading.answered = true;
    if (event.type === "message_start") {
      const isOver = (reading.costUsd ?? 0) > maxCostUsd;
      meter.start(thread, event.message.id, event.message.model, event.message.usage);
      reading.costUsd = meter.costUsd();
      return isOver ? "budget" : undefined;
    }
    meter.update(thread, event.usage);
    reading.costUsd = meter.costUsd();
    if (reading.costUsd !== undefined) {
      emit({ type: "usage", costUsd: reading.costUsd });
    }
    return undefined;
  };
  const onAssistant = ({ message }: Of<"assistant">) => {
    reading.answered = true;
    if (message.usage) {
      meter.see(message.id, message.model, message.usage);
      reading.costUsd = meter.costUsd();
    }
    for (const block of message.content) {
      if (block.type === "text") {
        emit({ type: "text", text: block.text });
      } else if (block.type === "tool_use") {
        tools.set(block.id, block.name);
        emit({ type: "tool", name: block.name, detail: detailOf(block.input) });
      }
    }
  };
  const onUser = ({ message }: Of<"user">) => {
    for (const block of message.content) {
      if (block.type === "tool_result" && !block.is_error) {
        reading.acted = true;
        reading.wrote ||= WRITES.has(tools.get(block.tool_use_id) ?? "");
      }
    }
  };

  return {
    reading,
    read(line) {
      const event = parseClaudeEvent(line);
      switch (event?.type) {
        case "system":
          onSystem(event);
          break;
        case "rate_limit_event":
          if (event.rate_limit_info.status === "rejected" && event.rate_limit_info.resetsAt) {
            reading.resetsAt = new Date(event.rate_limit_info.resetsAt * 1000);
          }
          break;
        case "stream_event":
          return onStream(event);
        case "assistant":
          onAssistant(event);
          break;
        case "user":
          onUser(event);
          break;
        case "result":
          reading.result = event;
          reading.sessionId ??= event.session_id ?? undefined;
          break;
        case undefined:
      }
      return undefined;
    },
  };
}
