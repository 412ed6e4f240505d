import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as immediate } from "node:timers/promises";

/** A request for an answer of the model, and what it was billed. */
export interface ModelRequest {
  /** What is asked for: the same in every run that is like another. */
  readonly key: string;
  /** Which piece of work it belongs to: requests of one turn, asked again or not, share it. */
  readonly work: string;
  /** SHA-256, in hex, of the prompts without what is chance in them; `""` where they are not sent. */
  readonly sha256: string;
  /** The turn's id where the client says it, else `""`. */
  readonly turnId: string;
  /** US dollars. It was billed, whether the answer arrived or not. */
  readonly costUsd: number;
}

/** How one kind of client is answered. */
export interface ModelWire {
  /** Whether a request to this path, below the account's, is its own. */
  fits(path: string): boolean;
  /** @throws When the request is none of its kind. */
  read(body: unknown, headers: IncomingMessage["headers"], account: string): ModelRequest;
  /** Resolves when all of the answer is sent, or cannot be. */
  answer(body: unknown, response: ServerResponse, account: string): Promise<void>;
}

/** A model on loopback that bills, and remembers what it was asked. */
export interface ModelServer {
  /** Where the account of a trial is asked. */
  urlOf(account: string): string;
  requestsOf(account: string): readonly ModelRequest[];
  /** Notes what was sent while this process had no time to look. */
  catchUp(): Promise<void>;
  /** Forgets an account. */
  forget(account: string): void;
  close(): Promise<void>;
}

/** Told of each request before it is answered, and when its answer has been sent. */
export type ModelListener = (
  account: string,
  step: "asked" | "answered",
  request: ModelRequest,
) => Promise<void>;

/** Of the event loop: more than it takes to accept a connection, to read a request and to parse it. */
const ROUNDS = 20;

/** Starts a model server on a free port of 127.0.0.1. */
export async function startModelServer(
  wires: readonly ModelWire[],
  onStep: ModelListener,
): Promise<ModelServer> {
  const accounts = new Map<string, ModelRequest[]>();

  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, account = "", path = ""] = /^\/([^/?]+)([^?]*)/u.exec(message.url ?? "") ?? [];
    const wire = wires.find((each) => each.fits(path));
    const sent = await text(message);
    if (wire === undefined || message.method !== "POST") {
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const body: unknown = JSON.parse(sent);
    const request = wire.read(body, message.headers, account);
    // Billed even if nobody is there any more to be answered.
    accounts.set(account, [...(accounts.get(account) ?? []), request]);
    await onStep(account, "asked", request);
    response.on("error", () => {});
    await wire.answer(body, response, account);
    await onStep(account, "answered", request);
  };

  const server = createServer((message, response) => {
    answer(message, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urlOf: (account) => `${url}/${account}`,
    requestsOf: (account) => accounts.get(account) ?? [],
    async catchUp() {
      for (let rounds = 0; rounds < ROUNDS; rounds += 1) await immediate();
    },
    forget: (account) => {
      accounts.delete(account);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
