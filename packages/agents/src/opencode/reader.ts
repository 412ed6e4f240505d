import type { AgentDenial, AgentEvent } from "../agent.ts";
import type { StopReason } from "../child.ts";
import { cleanLine } from "../clean.ts";
import { reasonToStop, type TurnLimits } from "../limits.ts";
import { tokenLimit } from "../prices.ts";
import { toolName } from "../tool-names.ts";
import { isDenied, opencodeDenial, pathOf } from "./denials.ts";
import {
  type OpencodeCall,
  type OpencodeError,
  type OpencodeSaid,
  parseOpencodeEvent,
} from "./event.ts";
import type { OpencodeMeter } from "./meter.ts";
import { isOpencodeSession } from "./session.ts";

/** What has been read of a run. */
export interface OpencodeReading {
  readonly sessionId: string | undefined;
  /** What its last response said. */
  readonly text: string;
  /** Why its last response ended: `stop`, `tool-calls`, `length` …; `""`: it has not. */
  readonly ending: string;
  /** The last error. */
  readonly error: { readonly at: Date; readonly error: OpencodeError } | undefined;
  /** Whether a tool has succeeded. */
  readonly acted: boolean;
  /** Each once, however often it was tried. */
  readonly denials: readonly AgentDenial[];
  /** Whether it has said anything at all. */
  readonly hasSpoken: boolean;
}

export interface OpencodeReader {
  readonly reading: OpencodeReading;
  /** Takes a line of output. A returned reason says to stop the process. */
  readonly read: (line: string) => StopReason | undefined;
}

/** What a tool works on, in a few words. */
function detailOf(call: OpencodeCall): string {
  const { command, pattern } = call.input;
  const said = [command, pathOf(call), pattern].find((value) => typeof value === "string");
  return cleanLine(typeof said === "string" ? said : "");
}

/** After which OpenCode asks again at once. */
const CONTINUES = "tool-calls";

/** Reads OpenCode's events as they come. */
export function createOpencodeReader(
  emit: (event: AgentEvent) => void,
  meter: OpencodeMeter,
  limits: TurnLimits = {},
): OpencodeReader {
  const denials = new Map<string, AgentDenial>();
  const reading: { -readonly [K in keyof OpencodeReading]: OpencodeReading[K] } = {
    sessionId: undefined,
    text: "",
    ending: "",
    error: undefined,
    acted: false,
    denials: [],
    hasSpoken: false,
  };
  let isUnpricedTold = false;

  const nameModel = (): void => {
    if (isUnpricedTold || meter.use().unpricedTokens === 0) return;
    isUnpricedTold = true;
    const { maxCostUsd } = limits;
    const maxTokens = maxCostUsd === undefined ? undefined : tokenLimit(maxCostUsd);
    const model = cleanLine(meter.options.model ?? "OpenCode's own choice");
    emit({ type: "unpriced", model, maxTokens });
  };
  const onSession = (sessionId: string): void => {
    if (sessionId === reading.sessionId || !isOpencodeSession(sessionId)) return;
    reading.sessionId = sessionId;
    emit({ type: "session", sessionId });
  };
  const onCall = (call: OpencodeCall, bytes: number): void => {
    meter.send(bytes);
    reading.acted ||= call.status === "completed";
    emit({ type: "tool", name: toolName("opencode", call.tool), detail: detailOf(call) });
    if (!isDenied(call)) return;
    const denial = opencodeDenial(call);
    if (!denials.has(denial.what)) emit({ type: "denied", what: denial.what });
    denials.set(denial.what, denial);
    reading.denials = [...denials.values()];
  };
  const onFinish = ({
    reason,
    tokens,
    costUsd,
  }: Extract<OpencodeSaid, { type: "step_finish" }>): StopReason | undefined => {
    const before = meter.seenUsd();
    meter.finish(tokens, costUsd);
    reading.ending = reason;
    nameModel();
    if (meter.seenUsd() > before) emit({ type: "usage", costUsd: meter.seenUsd() });
    return reason === CONTINUES ? reasonToStop(meter.use(), limits) : undefined;
  };
  const onSaid = (event: OpencodeSaid, bytes: number): StopReason | undefined => {
    onSession(event.sessionID);
    switch (event.type) {
      case "step_start":
        meter.start();
        [reading.text, reading.ending, reading.error] = ["", "", undefined];
        return reasonToStop(meter.use(), limits);
      case "text":
        reading.text = reading.text === "" ? event.text : `${reading.text}\n${event.text}`;
        emit({ type: "text", text: event.text });
        return undefined;
      case "tool_use":
        onCall(event.call, event.line_bytes ?? bytes);
        return undefined;
      case "step_finish":
        return onFinish(event);
      case "error":
        reading.error = event;
        return undefined;
    }
  };
  return {
    reading,
    read(line) {
      const event = parseOpencodeEvent(line);
      reading.hasSpoken ||= line.trim() !== "";
      if (event?.type !== "cut_line") return event && onSaid(event, Buffer.byteLength(line));
      meter.send(event.line_bytes);
      return undefined;
    },
  };
}
