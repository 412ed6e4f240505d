import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { costOf, NO_TOKENS } from "../src/prices.ts";
import { eventsOf, type ModelEvent, type ModelTurn, usageOf } from "./model-answer.ts";
import { type ModelRequest, modelRequestOf } from "./model-request.ts";

/** What goes wrong instead of an answer, or in it. */
export type ModelFault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  /** Nothing more comes after so many events. */
  | { readonly kind: "hang"; readonly after: number }
  /** The connection breaks after so many events. */
  | { readonly kind: "drop"; readonly after: number }
  /** Each event is followed by one that is no JSON. */
  | { readonly kind: "garbage" };

export type ModelScript = (request: ModelRequest) => ModelTurn | ModelFault;

/** A scripted model API on loopback: Anthropic's Messages, OpenAI's Responses and Gemini, all streamed. */
export interface ModelStub {
  readonly url: string;
  /** What was asked so far. */
  readonly requests: readonly ModelRequest[];
  /** The same as it came, with what the agent itself adds. */
  readonly bodies: readonly string[];
  /** US dollars for all answers, at list prices, those that did not arrive whole too. */
  readonly billedUsd: number;
  /** What the model answers with from now on. */
  script: ModelScript;
  close(): Promise<void>;
}

function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

function errorOf(
  { api }: ModelRequest,
  { status, type, message }: Extract<ModelFault, { kind: "status" }>,
): object {
  switch (api) {
    case "anthropic":
      return { type: "error", error: { type, message } };
    case "openai":
      return { error: { type, code: type, message } };
    case "gemini":
      return { error: { code: status, status: type, message } };
  }
}

/** An event as it goes over the wire. */
const sent = (event: ModelEvent): string =>
  `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`;

/** Starts a stub on a free port of 127.0.0.1. */
export async function startModelStub(script: ModelScript): Promise<ModelStub> {
  const requests: ModelRequest[] = [];
  const bodies: string[] = [];
  const stub = { requests, bodies, script, url: "", billedUsd: 0, close };

  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = message.url ?? "";
    const body = await text(message);
    const request = message.method === "POST" ? modelRequestOf(path, JSON.parse(body)) : undefined;
    if (!request) {
      const isCount = /count_tokens|:countTokens/.test(path);
      const count = { input_tokens: 1, totalTokens: 1 };
      sendJson(response, isCount ? 200 : 404, isCount ? count : { error: "no" });
      return;
    }
    requests.push(request);
    bodies.push(body);
    const turn = stub.script(request);
    if ("kind" in turn && turn.kind === "status") {
      sendJson(response, turn.status, errorOf(request, turn), turn.headers);
      return;
    }
    const fault = "kind" in turn ? turn : undefined;
    const said: ModelTurn =
      "kind" in turn ? { text: "An answer that does not arrive whole." } : turn;
    const { input, output, thoughts = 0 } = usageOf(said);
    const billed = { ...NO_TOKENS, input, output: output + thoughts };
    stub.billedUsd += costOf(request.model, billed) ?? 0;
    await said.after;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = eventsOf(said, request);
    for (const [at, event] of events.entries()) {
      if (at === Math.floor(events.length / 2)) await said.halfway?.();
      if (fault?.kind === "drop" && at === fault.after) {
        message.socket.destroy();
        return;
      }
      if (fault?.kind === "hang" && at === fault.after) {
        return;
      }
      response.write(sent(event));
      if (fault?.kind === "garbage") {
        response.write('event: message_delta\ndata: {"type": no json\n\n');
      }
    }
    response.end(said.sent);
  };

  const server = createServer((message, response) => {
    answer(message, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function close(): Promise<void> {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
  return stub;
}
