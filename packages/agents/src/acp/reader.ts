import * as v from "valibot";
import type { AgentDenial, AgentEvent, AgentRequest } from "../agent.ts";
import type { StopReason } from "../child.ts";
import { isLimited, reasonToStop, type TurnLimits } from "../limits.ts";
import { type ModelUse, usesOf } from "./cost.ts";
import {
  type AcpError,
  type AcpEvent,
  type Id,
  parseAcpLine,
  type PermissionOption,
  SessionId,
  type ToolCall,
} from "./event.ts";
import { denialOfCall, isConsent } from "./permission.ts";
import { createToolCalls, toldAs } from "./tools.ts";

/** What has been read of a turn. */
export interface AcpReading {
  /** The session; it can be continued in once something of the prompt was answered. */
  readonly sessionId: string | undefined;
  readonly version: string | undefined;
  readonly protocolVersion: unknown;
  readonly loadsSessions: boolean;
  /** Whether a session was begun, or loaded. */
  readonly isOpen: boolean;
  /** Whether the prompt was sent. */
  readonly isAsked: boolean;
  /** Whether anything came of it. */
  readonly hasBegun: boolean;
  /** What was said last, since a tool was used. */
  readonly text: string;
  /** What the agent said of itself, if it was the last thing that it said. */
  readonly notice: string | undefined;
  /** Whether a tool has done something. */
  readonly acted: boolean;
  readonly tools: number;
  readonly denials: readonly AgentDenial[];
  /** Why the turn ended, in the agent's words. */
  readonly stopReason: string | undefined;
  /** What was refused, and what the agent said then. */
  readonly error: (AcpError & { readonly method: string }) | undefined;
  readonly beforeUsd: number | undefined;
  readonly sessionUsd: number | undefined;
  readonly uses: readonly ModelUse[];
  readonly model: string | undefined;
}

export interface AcpReaderOptions {
  readonly access: AgentRequest["access"];
  readonly titleIsCommand: boolean;
  /** What the session had cost before, in US dollars; `undefined`: not known. */
  readonly beforeUsd?: number | undefined;
  /** How a text begins that the agent says of itself. @default none does */
  readonly notices?: RegExp | undefined;
}

export interface AcpReader {
  readonly reading: AcpReading;
  /** Takes a line of output. A returned reason says to stop the process. */
  readonly read: (line: string) => StopReason | undefined;
}

/** How many characters are kept of an answer: of a longer one the beginning. */
export const MAX_TEXT = 8 * 2 ** 20;

const Initialized = v.object({
  protocolVersion: v.unknown(),
  agentInfo: v.fallback(v.optional(v.object({ version: v.string() })), undefined),
  agentCapabilities: v.fallback(
    v.optional(v.object({ loadSession: v.optional(v.boolean(), false) })),
    undefined,
  ),
});

const Opened = v.object({
  sessionId: v.fallback(v.optional(SessionId), undefined),
  models: v.fallback(v.optional(v.object({ currentModelId: v.string() })), undefined),
  configOptions: v.fallback(
    v.optional(
      v.array(
        v.object({
          category: v.fallback(v.optional(v.string()), undefined),
          currentValue: v.fallback(v.optional(v.string()), undefined),
        }),
      ),
    ),
    undefined,
  ),
});

const Ended = v.object({ stopReason: v.string() });

/** Reads the lines of a turn as they come. */
export function createAcpReader(
  emit: (event: AgentEvent) => void,
  { access, titleIsCommand, beforeUsd, notices }: AcpReaderOptions,
  limits: TurnLimits = {},
): AcpReader {
  const denials: AgentDenial[] = [];
  const reading: { -readonly [K in keyof AcpReading]: AcpReading[K] } = {
    sessionId: undefined,
    version: undefined,
    protocolVersion: undefined,
    loadsSessions: false,
    isOpen: false,
    isAsked: false,
    hasBegun: false,
    text: "",
    notice: undefined,
    acted: false,
    tools: 0,
    denials,
    stopReason: undefined,
    error: undefined,
    beforeUsd,
    sessionUsd: undefined,
    uses: [],
    model: undefined,
  };
  const asked = new Map<Id, string>();
  const questions = new Map<
    Id,
    { readonly call: ToolCall; readonly options: readonly PermissionOption[] }
  >();
  const calls = createToolCalls();
  const told = new Set<string>();
  let isNewText = true;
  let messageId: string | undefined;

  const isAnswered = (): boolean => reading.stopReason !== undefined || reading.error !== undefined;
  const onTool = (said: ToolCall): ToolCall => {
    const call = calls.merge(said);
    isNewText = true;
    reading.notice = undefined;
    reading.acted ||= call.status === "completed";
    const tool = toldAs(call, titleIsCommand);
    if (tool !== undefined && !told.has(call.toolCallId)) {
      told.add(call.toolCallId);
      reading.tools += 1;
      emit({ type: "tool", ...tool });
    }
    return call;
  };
  const onText = (text: string, of: string | undefined): void => {
    if (text === "") return;
    if (notices?.test(text) === true) {
      reading.notice = text;
      return emit({ type: "text", text });
    }
    reading.notice = undefined;
    const isNext = !isNewText && of === messageId;
    reading.text = ((isNext ? reading.text : "") + text).slice(0, MAX_TEXT);
    [isNewText, messageId] = [false, of];
    emit({ type: "text", text });
  };
  const onAnswer = (method: string | undefined, result: unknown): void => {
    switch (method) {
      case "initialize": {
        const { success, output } = v.safeParse(Initialized, result);
        if (!success) return;
        reading.version = output.agentInfo?.version;
        reading.protocolVersion = output.protocolVersion;
        reading.loadsSessions = output.agentCapabilities?.loadSession === true;
        return;
      }
      case "session/new":
      case "session/load": {
        reading.isOpen = true;
        const { success, output } = v.safeParse(Opened, result);
        if (!success) return;
        reading.sessionId ??= output.sessionId;
        const option = output.configOptions?.find(({ category }) => category === "model");
        reading.model = output.models?.currentModelId ?? option?.currentValue;
        if (reading.sessionId === undefined) return;
        emit({ type: "session", sessionId: reading.sessionId });
        return;
      }
      case "session/prompt": {
        const { success, output } = v.safeParse(Ended, result);
        reading.stopReason = success ? output.stopReason : "";
        reading.uses = usesOf(result);
        return;
      }
      default:
        return;
    }
  };
  const onDecision = (id: Id, optionId: string | undefined): void => {
    const question = questions.get(id);
    questions.delete(id);
    if (question === undefined || isConsent(optionId, question.options)) return;
    const denial = denialOfCall(question.call, { access, titleIsCommand });
    if (denials.some(({ what }) => what === denial.what)) return;
    denials.push(denial);
    emit({ type: "denied", what: denial.what });
  };
  const onEvent = (event: AcpEvent): void => {
    if (event.type === "asked") {
      if (event.id !== undefined) asked.set(event.id, event.method);
      reading.sessionId ??= event.sessionId;
      if (event.method !== "session/prompt") return;
      reading.isAsked = true;
      // It is asked once more when it ended for want of a permission.
      reading.stopReason = undefined;
      return;
    }
    if (event.type === "answer" || event.type === "error") {
      const method = asked.get(event.id);
      if (method === undefined) return;
      asked.delete(event.id);
      reading.hasBegun ||= method === "session/prompt" && event.type === "answer";
      // What was refused before a login is answered after it.
      reading.error = event.type === "error" ? { ...event.error, method } : undefined;
      return event.type === "answer" ? onAnswer(method, event.result) : undefined;
    }
    if (event.type === "cost") {
      if (reading.isAsked) reading.sessionUsd = Math.max(event.usd, reading.sessionUsd ?? 0);
      else reading.beforeUsd = event.usd;
    }
    // What a session that is loaded tells again is not said now.
    if (!reading.isAsked || isAnswered()) return;
    switch (event.type) {
      case "text":
        reading.hasBegun = true;
        return onText(event.text, event.messageId);
      case "tool":
        reading.hasBegun = true;
        return void onTool(event.call);
      case "permission":
        reading.hasBegun = true;
        return void questions.set(event.id, { call: onTool(event.call), options: event.options });
      case "decided":
        return onDecision(event.id, event.optionId);
      case "cost":
        if (reading.beforeUsd === undefined) return;
        return emit({ type: "usage", costUsd: Math.max(0, event.usd - reading.beforeUsd) });
      case "update":
        return;
    }
  };
  const use = () => ({
    costUsd: Math.max(
      0,
      (reading.sessionUsd ?? 0) - (reading.beforeUsd ?? reading.sessionUsd ?? 0),
    ),
    unpricedTokens: 0,
    // The agent tells of no request: one for each tool that it uses, and one for its answer.
    requests: reading.tools + 1,
  });
  return {
    reading,
    read(line) {
      const event = parseAcpLine(line);
      if (event === undefined) return undefined;
      onEvent(event);
      return isAnswered() || !isLimited(limits) ? undefined : reasonToStop(use(), limits);
    },
  };
}
