import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomBytes } from "node:crypto";
import { BELL_MS, type CallName, INDEX, SHARED } from "../src/calls.ts";
import { CALL_HEADER, type FleetKey, MAC_HEADER } from "../src/mac.ts";
import { answerCall, DeniedError, type Room } from "../src/object/answer.ts";
import { createBells } from "../src/object/bells.ts";
import { enlisted, type KeptEntry } from "../src/object/index-entries.ts";

/** What a Restate server does for the object, in this process: one call of a key after the other, each once. */
export interface MemoryIngress {
  readonly url: string;
  readonly clock: { skewMs: number };
  /** How many calls were carried out, by the names of their handlers. */
  readonly counts: Map<string, number>;
  /** Answers of the next calls are lost: the call is carried out, and the connection ends. */
  loseAnswers(count: number): void;
  /** The next calls are answered with this status, and not carried out. */
  refuse(count: number, status: number): void;
  /** Ends all connections: who waits for an answer gets none. */
  cut(): void;
  /** Changes each answer on its way. */
  forge: ((body: Buffer) => Buffer) | undefined;
  close(): Promise<void>;
}

export async function memoryIngress(service: string, fleet: FleetKey): Promise<MemoryIngress> {
  /** As JSON: what is kept is not what a handler holds. */
  const kept = new Map<string, string>();
  const answers = new Map<string, Promise<Uint8Array>>();
  const queues = new Map<string, Promise<unknown>>();
  const counts = new Map<string, number>();
  const clock = { skewMs: 0 };
  const bells = createBells();
  let [lost, refused, refusal] = [0, 0, 0];

  const roomOf = (key: string, changes: Map<string, string>): Room => ({
    async get<T>(name: string) {
      const text = kept.get(`${key}/${name}`);
      return text === undefined ? null : (JSON.parse(text) as T);
    },
    set(name, value) {
      changes.set(`${key}/${name}`, JSON.stringify(value));
    },
    now: async () => Date.now() + clock.skewMs,
    writer: () => randomBytes(4).toString("hex"),
    enlist(entry) {
      const before = JSON.parse(kept.get(`${INDEX}/entries`) ?? "[]") as readonly KeptEntry[];
      changes.set(`${INDEX}/entries`, JSON.stringify(enlisted(before, entry)));
    },
    ring: () => bells.ring(key),
    bell: () => bells.wait(key, BELL_MS),
  });

  const carryOut = async (
    key: string,
    handler: string,
    body: Buffer,
    { headers }: IncomingMessage,
  ): Promise<Uint8Array> => {
    counts.set(handler, (counts.get(handler) ?? 0) + 1);
    const changes = new Map<string, string>();
    const id = String(headers[CALL_HEADER] ?? "");
    const mac = String(headers[MAC_HEADER] ?? "");
    const received = { call: { key, handler, id }, mac, body };
    const answer = await answerCall(fleet, received, roomOf(key, changes));
    for (const [name, text] of changes) kept.set(name, text);
    return answer;
  };

  /** One after the other for a key, but for those that change nothing. */
  const inTurn = (key: string, handler: string, work: () => Promise<Uint8Array>) => {
    if (SHARED.has(handler as CallName)) return work();
    const next = (queues.get(key) ?? Promise.resolve()).then(work, work);
    queues.set(
      key,
      next.catch(() => {}),
    );
    return next;
  };

  const result: MemoryIngress = {
    ...{ url: "", clock, counts, forge: undefined },
    loseAnswers(count) {
      lost = count;
    },
    refuse(count, status) {
      [refused, refusal] = [count, status];
    },
    cut: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (refused > 0) {
      refused -= 1;
      response.writeHead(refusal).end("not now");
      return;
    }
    const [, of = "", key = "", handler = ""] = (request.url ?? "")
      .split("/")
      .map(decodeURIComponent);
    if (of !== service) {
      response.writeHead(404).end("no such service");
      return;
    }
    const work = () => carryOut(key, handler, Buffer.concat(chunks), request);
    const repeated = request.headers["idempotency-key"];
    const name = `${key}/${handler}/${String(repeated)}`;
    const answered =
      (repeated === undefined ? undefined : answers.get(name)) ?? inTurn(key, handler, work);
    if (repeated !== undefined) answers.set(name, answered);
    const isLost = lost > 0;
    if (isLost) lost -= 1;
    try {
      const body = Buffer.from(await answered);
      if (isLost) response.destroy();
      else response.writeHead(200).end(result.forge?.(body) ?? body);
    } catch (error) {
      response.writeHead(error instanceof DeniedError ? 401 : 422).end(String(error));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return Object.assign(result, { url: `http://127.0.0.1:${port}` });
}
