import { PassThrough } from "node:stream";
import {
  type AnyMessage,
  client,
  type ClientContext,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import * as v from "valibot";
import type { Conversation, ConverseOptions } from "../conversation.ts";
import { leadTurn } from "./dialog.ts";
import { acpEventOf, parseJson, ToolCall } from "./event.ts";
import { createChunkJoiner } from "./joiner.ts";
import { choiceOf, mayUse } from "./permission.ts";
import { createToolCalls } from "./tools.ts";
import type { AcpTurn } from "./turn.ts";

/** @see SPEC.md, "ACP" */
export function createAcpConversation(
  turn: AcpTurn,
  { record, limits }: ConverseOptions,
): Conversation {
  const { maxLineBytes, killGraceMs } = limits;
  const input = new PassThrough();
  // The agent may be gone before it has read all: that is seen by its process.
  input.on("error", () => undefined);
  const force = new AbortController();
  const forceSoon = (): void => void setTimeout(() => force.abort(), killGraceMs);
  const notices = turn.notices === undefined ? undefined : new RegExp(turn.notices);
  const isNotice = (text: string): boolean => notices?.test(text) === true;
  const joiner = createChunkJoiner(maxLineBytes, isNotice);
  const tools = createToolCalls();
  /** Our requests that are not answered. */
  const asked = new Set<unknown>();
  let arrived: AnyMessage[] = [];
  let sessionId: string | undefined;
  let isOver = false;
  let isCancelled = false;
  /** The tool that was refused last, if nothing else came of the turn since. */
  let denied: string | undefined;

  const send = (message: AnyMessage): void => {
    if ("method" in message && "id" in message) asked.add(message.id);
    record(JSON.stringify({ sent: recorded(message) }));
    input.write(`${JSON.stringify(message)}\n`);
  };
  const { agent, receive, close } = connect(send, ({ toolCall, options }) => {
    const call = tools.merge(v.parse(ToolCall, toolCall));
    const isAllowed = mayUse(call, turn.permissions);
    denied = isAllowed ? undefined : call.toolCallId;
    const chosen = isCancelled ? undefined : choiceOf(isAllowed, options);
    return chosen === undefined
      ? { outcome: { outcome: "cancelled" } }
      : { outcome: { outcome: "selected", optionId: chosen } };
  });
  const finish = (): void => {
    isOver = true;
    close();
    input.end();
    forceSoon();
  };
  const onPrompt = (id: string): void => void (sessionId = id);
  const wasDenied = (): boolean => denied !== undefined && !isCancelled;
  const converse = async (): Promise<void> => {
    try {
      const stopReason = await leadTurn(agent, turn, onPrompt, wasDenied);
      // It was done before it could stop.
      if (stopReason === "end_turn") isCancelled = false;
    } catch {
      // What was refused is on record.
    }
    finish();
  };
  void converse();

  return {
    input,
    force: force.signal,
    take(lines) {
      return lines.flatMap((line) => {
        const message = parseJson(line);
        // A line in our own form is forged, and what is said of another session is not of this turn.
        if (message !== undefined && ("sent" in message || isOfAnother(message, sessionId)))
          return [];
        const event = message && acpEventOf(message);
        if (event?.type === "tool") {
          tools.merge(event.call);
          if (event.call.toolCallId !== denied) denied = undefined;
        }
        if (event?.type === "text" && !isNotice(event.text)) denied = undefined;
        const forUs = message ?? headOfCut(line);
        if (forUs !== undefined && isForUs(forUs, asked)) arrived.push(forUs as AnyMessage);
        return joiner.add(line, message);
      });
    },
    proceed() {
      const messages = arrived;
      arrived = [];
      if (!isOver) messages.forEach(receive);
    },
    end: joiner.end,
    cancel() {
      if (isOver) return;
      isCancelled = true;
      if (sessionId === undefined) return force.abort();
      send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
      forceSoon();
    },
    wasCancelled: () => isCancelled,
  };
}

interface Connected {
  readonly agent: ClientContext;
  readonly receive: (message: AnyMessage) => void;
  readonly close: () => void;
}

/** What the agent asks for beside a permission is answered by "there is no such method". */
function connect(
  send: (message: AnyMessage) => void,
  answer: (params: RequestPermissionRequest) => RequestPermissionResponse,
): Connected {
  let receive: Connected["receive"] = () => undefined;
  const readable = new ReadableStream<AnyMessage>({
    start: (controller) => void (receive = (message) => controller.enqueue(message)),
  });
  const connection = client()
    .onRequest("session/request_permission", ({ params }) => answer(params))
    .connect({ readable, writable: new WritableStream({ write: send }) });
  return { agent: connection.agent, receive, close: () => connection.close() };
}

/** A request, or the answer to one that we sent: nothing else needs an answer. */
function isForUs(message: Readonly<Record<string, unknown>>, asked: Set<unknown>): boolean {
  if (!("id" in message)) return false;
  return "method" in message ? typeof message["method"] === "string" : asked.delete(message["id"]);
}

const HEAD = /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{0,100}"),"method":"([^"\\]{1,100})"/;

/** What is read of a request that was too long, and cut: that it is refused, or its agent would wait. */
function headOfCut(line: string): Readonly<Record<string, unknown>> | undefined {
  const [, id, method] = HEAD.exec(line) ?? [];
  return id === undefined ? undefined : { jsonrpc: "2.0", id: JSON.parse(id) as unknown, method };
}

function isOfAnother(
  { params }: Readonly<Record<string, unknown>>,
  sessionId: string | undefined,
): boolean {
  if (sessionId === undefined || typeof params !== "object" || params === null) return false;
  return "sessionId" in params && params.sessionId !== sessionId;
}

/** What is kept of our messages: their parameters are what the turn was begun with. */
function recorded(message: AnyMessage): object {
  const { jsonrpc: _, params, ...rest } = message as AnyMessage & { params?: unknown };
  const sessionId = (params as { sessionId?: string } | undefined)?.sessionId;
  return { ...rest, ...(sessionId !== undefined && { sessionId }) };
}
