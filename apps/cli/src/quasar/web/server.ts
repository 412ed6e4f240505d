import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type DecisionMade, LIVE_PATHS, livePage } from "@quasar/page/live";
import * as v from "valibot";
import type { Feed } from "./feed.ts";
import { refusalOf } from "./guard.ts";
import { streamTo } from "./stream.ts";
import type { Subject } from "./subject.ts";

export interface WebServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly subject: Subject;
  readonly feed: Feed;
  /** 0: any that is free. */
  readonly port: number;
  readonly token: string;
}

const LOOPBACK = "127.0.0.1";

/** @throws The system's error where the port is taken or not allowed. */
export async function openServer({
  subject,
  feed,
  port,
  token,
}: ServerOptions): Promise<WebServer> {
  const handle = handlerOf(subject, feed);
  const server = createServer((request, response) => {
    const { port: own } = server.address() as AddressInfo;
    void handle(request, response, { host: `${LOOPBACK}:${own}`, token });
  });
  server.listen(port, LOOPBACK);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** No page of another may show what is answered, guess at it, or keep it. */
const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
} as const;

interface Asked {
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Answerer = (asked: Asked) => void | Promise<void>;

function handlerOf(subject: Subject, feed: Feed) {
  const page = livePage();
  const answerers: Readonly<Record<string, Answerer>> = {
    [`GET ${LIVE_PATHS.page}`]: ({ response }) => {
      response.setHeader("Content-Security-Policy", page.policy);
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page.html);
    },
    [`GET ${LIVE_PATHS.events}`]: ({ request, response }) => {
      const known = request.headers["last-event-id"];
      streamTo(response, feed, typeof known === "string" ? known : "");
    },
    [`GET ${LIVE_PATHS.transcript}`]: async ({ query, response }) =>
      answer(response, 200, (await subject.transcript(query.get("turn") ?? "")) ?? null),
    [`GET ${LIVE_PATHS.diff}`]: async ({ query, response }) =>
      answer(response, 200, (await subject.diff(query.get("sha") ?? "")) ?? null),
    [`GET ${LIVE_PATHS.change}`]: async ({ query, response }) => {
      const read = await subject.change(query.get("phase") ?? "", query.get("digest") ?? "");
      answer(response, "isBad" in read ? 409 : 200, read);
    },
    [`POST ${LIVE_PATHS.decide}`]: async ({ request, response }) => {
      const made = await readDecision(request);
      if (made === undefined) return refuse(response, 400, "this is no decision");
      const note = subject.decide(made);
      feed.refresh();
      return answer(response, note.isBad ? 409 : 200, note);
    },
  };

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    guarded: Parameters<typeof refusalOf>[1],
  ): Promise<void> => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { headers, url = "" } = request;
    const [path = "", query = ""] = url.split("?", 2);
    // Node sends no body where only the head is asked for.
    const isHead = request.method === "HEAD" && path === LIVE_PATHS.page;
    const method = isHead ? "GET" : (request.method ?? "");
    const isPage = path === LIVE_PATHS.page && method === "GET";
    const refused = refusalOf({ method, headers, isPage }, guarded);
    if (refused !== undefined) return refuse(response, refused.status, refused.message);
    const answerer = Object.hasOwn(answerers, `${method} ${path}`)
      ? answerers[`${method} ${path}`]
      : undefined;
    if (answerer === undefined) return refuse(response, 404, "there is nothing here");
    try {
      await answerer({ query: new URLSearchParams(query), request, response });
    } catch {
      // What cannot be read the stream says in words.
      if (!response.headersSent) refuse(response, 500, "this cannot be read now");
      else response.destroy();
    }
  };
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  // What is refused is not read to its end.
  response.setHeader("Connection", "close");
  answer(response, status, { text: message, isBad: true });
}

/** Bytes of a decision: a reason of the most characters that one may have. */
const MOST_BYTES = 128 * 1024;

const madeSchema = v.strictObject({
  verb: v.picklist(["approve", "reject", "answer", "pause", "continue"]),
  phase: v.string(),
  attempt: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  digest: v.string(),
  questionId: v.string(),
  text: v.string(),
}) satisfies v.GenericSchema<unknown, DecisionMade>;

/** `undefined`: it is none. */
async function readDecision(request: IncomingMessage): Promise<DecisionMade | undefined> {
  const length = Number(request.headers["content-length"] ?? Number.NaN);
  const isJson = request.headers["content-type"] === "application/json";
  if (!isJson || !(length <= MOST_BYTES)) return undefined;
  try {
    const parsed = v.safeParse(madeSchema, JSON.parse(await text(request)));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
