import type { AgentEvent } from "../agent.ts";
import type { StopReason } from "../child.ts";
import { cleanLine } from "../clean.ts";
import { reasonToStop, type TurnLimits } from "../limits.ts";
import { isOfSystem } from "../patience.ts";
import { priceOf, tokenLimit, type Tokens } from "../prices.ts";
import { type CodexItem, parseCodexEvent } from "./event.ts";
import { toolName } from "../tool-names.ts";
import type { CodexUse } from "./cost.ts";
import type { CodexMeter } from "./meter.ts";

/** What has been read of a run. */
export interface CodexReading {
  readonly threadId: string | undefined;
  /** The thread, once there is something in it to continue from: its prompt is on record after it began. */
  readonly sessionId: string | undefined;
  /** The last message of the agent. */
  readonly text: string;
  readonly completed: boolean;
  /** Whether it said that the turn is over, well or not. */
  readonly ended: boolean;
  /** What the turn failed of, in Codex's words. */
  readonly error: string | undefined;
  /** Of the thread, known when the turn is complete. */
  readonly tokens: Tokens | undefined;
  /** Whether a tool has succeeded. */
  readonly acted: boolean;
  /** Whether it has said anything at all. */
  readonly hasSpoken: boolean;
  /** Responses that broke off while they came. */
  readonly dropped: number;
}

export interface CodexReader {
  readonly reading: CodexReading;
  /** Takes a line of output. A returned reason says to stop the process. */
  readonly read: (line: string) => StopReason | undefined;
}

/** What is said of a response that had begun; of one that was refused the server's status is given. */
const DROPPED = /^Reconnecting.*stream (disconnected|closed)/iu;

/** What Codex runs, less the shell that it runs it in. */
function typedOf(command: string): string {
  return /^\S*\/(?:ba|z)?sh -lc '([^']*)'$/u.exec(command)?.[1] ?? command;
}

/**
 * Reads Codex's events as they come.
 *
 * @param meter - looked at after each event: a response is recorded before its tool has ended.
 */
export function createCodexReader(
  emit: (event: AgentEvent) => void,
  meter: CodexMeter,
  limits: TurnLimits = {},
): CodexReader {
  const reading: { -readonly [K in keyof CodexReading]: CodexReading[K] } = {
    threadId: undefined,
    sessionId: undefined,
    text: "",
    completed: false,
    ended: false,
    error: undefined,
    tokens: undefined,
    acted: false,
    hasSpoken: false,
    dropped: 0,
  };

  const told = new Set<string>();
  let toldUsd = 0;
  /** A record that cannot be read now is checked again with the next event. */
  const useSoFar = (): CodexUse | undefined => {
    try {
      return meter.use(reading.threadId);
    } catch (error) {
      if (!isOfSystem(error)) throw error;
      return undefined;
    }
  };
  const onUsage = () => {
    const use = useSoFar();
    if (use === undefined) return undefined;
    nameModel(use.model);
    const { costUsd } = use;
    if (costUsd > toldUsd) {
      toldUsd = costUsd;
      emit({ type: "usage", costUsd });
    }
    return reading.ended ? undefined : reasonToStop(meter.atMost(use, reading.dropped), limits);
  };
  const nameModel = (model: string) => {
    if (told.has(model)) return;
    told.add(model);
    if (priceOf(model, meter.options.prices) !== undefined) return;
    const { maxCostUsd } = limits;
    const maxTokens = maxCostUsd === undefined ? undefined : tokenLimit(maxCostUsd);
    emit({ type: "unpriced", model: cleanLine(model), maxTokens });
  };
  const onAnswer = () => {
    if (reading.sessionId !== undefined || reading.threadId === undefined) return;
    reading.sessionId = reading.threadId;
    emit({ type: "session", sessionId: reading.threadId });
  };
  const onStarted = (item: CodexItem) => {
    if (item.type === "command_execution") {
      emit({
        type: "tool",
        name: toolName("codex", item.type),
        detail: cleanLine(typedOf(item.command)),
      });
    } else if (item.type === "file_change") {
      const paths = item.changes.map(({ path }) => path).join(" ");
      emit({ type: "tool", name: toolName("codex", item.type), detail: cleanLine(paths) });
    }
  };
  const onCompleted = (item: CodexItem) => {
    if (item.type === "agent_message") {
      reading.text = item.text;
      emit({ type: "text", text: item.text });
    } else {
      reading.acted ||=
        item.type === "file_change" ? item.status === "completed" : item.exit_code === 0;
    }
  };

  return {
    reading,
    read(line) {
      const event = parseCodexEvent(line);
      reading.hasSpoken ||= line.trim() !== "";
      switch (event?.type) {
        case "thread.started":
          reading.threadId = event.thread_id;
          break;
        case "item.started":
          onAnswer();
          onStarted(event.item);
          break;
        case "item.completed":
          onAnswer();
          onCompleted(event.item);
          break;
        case "error":
          if (DROPPED.test(event.message)) reading.dropped += 1;
          reading.error = event.message;
          emit({ type: "retry", message: cleanLine(event.message) });
          break;
        case "turn.completed":
          onAnswer();
          reading.completed = true;
          reading.ended = true;
          reading.error = undefined;
          reading.tokens = event.usage ?? undefined;
          break;
        case "turn.failed":
          onAnswer();
          reading.ended = true;
          reading.error = event.error?.message ?? reading.error ?? "the turn failed";
          break;
        case undefined:
          return undefined;
      }
      return reading.threadId === undefined ? undefined : onUsage();
    },
  };
}
