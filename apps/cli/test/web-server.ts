import { once } from "node:events";
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from "node:http";
import { text } from "node:stream/consumers";
import { type Place, type Running, start } from "./harness.ts";

/** The server of a page. */
export interface Served {
  readonly running: Running;
  /** With the token. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
}

/** Starts `quasar web` in a place, and waits for its address. */
export async function serve(at: Place, args: readonly string[] = [], env = {}): Promise<Served> {
  const running = start(at, ["web", ...args], { env });
  await running.sees("#token=");
  const [url = "", port = "", token = ""] =
    /http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]+)/u.exec(running.stdout()) ?? [];
  if (url === "") throw new Error((await running.finished).stderr);
  return { running, url, port: Number(port), token };
}

/** Ends a server at once, as the system does where memory runs out. */
export async function kill({ running }: Served): Promise<void> {
  running.child.kill("SIGKILL");
  await running.finished;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface AskOptions {
  readonly method?: string | undefined;
  /** Beside the token and, of a post, the origin of the server's own page. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: string | undefined;
}

function askFor({ port, token }: Served, path: string, { method = "GET", ...options }: AskOptions) {
  const usual = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${token}`,
    ...(method === "POST" && {
      origin: `http://127.0.0.1:${port}`,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(options.body ?? "")),
    }),
  };
  const given = Object.entries({ ...usual, ...options.headers });
  const headers = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const asked = request({ host: "127.0.0.1", port, path, method, headers, setHost: false });
  asked.end(options.body);
  return asked;
}

async function responseTo(asked: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
}

/** Asks as no browser would let a page ask. */
export async function ask(
  served: Served,
  path: string,
  options: AskOptions = {},
): Promise<Answered> {
  const response = await responseTo(askFor(served, path, options));
  const { statusCode = 0, headers } = response;
  return { status: statusCode, headers, body: await text(response) };
}

/** Posts a decision. @returns The status, and what became of it. */
export async function decide(served: Served, made: object): Promise<readonly [number, string]> {
  const body = JSON.stringify(made);
  const { status, body: said } = await ask(served, "/decide", { method: "POST", body });
  return [status, String((JSON.parse(said) as { readonly text: unknown }).text)];
}

/** A message of a stream. */
export interface Message {
  readonly id: string;
  readonly data: {
    readonly from: number;
    readonly events: readonly { readonly text: string }[];
    readonly decisions: readonly Readonly<Record<string, unknown>>[];
    readonly facts: Readonly<Record<string, unknown>>;
  };
}

/** The first message of a stream of which something is so. */
export async function messageOf(
  served: Served,
  revision = "",
  isMeant: (message: Message) => boolean = () => true,
): Promise<Message> {
  return first(served, revision, (block) => {
    const [, id, data] = /^id: (.*)\ndata: (.*)$/u.exec(block) ?? [];
    if (id === undefined || data === undefined) return undefined;
    const message = { id, data: JSON.parse(data) as Message["data"] };
    return isMeant(message) ? message : undefined;
  });
}

/** Why the facts cannot be read, as a stream says it. */
export async function problemOf(served: Served): Promise<string> {
  return first(served, "", (block) => {
    const [, data] = /^event: problem\ndata: (.*)$/u.exec(block) ?? [];
    return data === undefined ? undefined : (JSON.parse(data) as string);
  });
}

/** The first that is found in a block of a stream. */
async function first<T>(
  served: Served,
  revision: string,
  find: (block: string) => T | undefined,
): Promise<T> {
  const known = revision === "" ? {} : { "last-event-id": revision };
  const asked = askFor(served, "/events", { headers: known });
  const response = await responseTo(asked);
  let rest = "";
  for await (const piece of response.setEncoding("utf8") as AsyncIterable<string>) {
    rest += piece;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const found = find(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (found === undefined) continue;
      asked.destroy();
      return found;
    }
  }
  throw new Error("the stream ended without it");
}
