import { once } from "node:events";
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";

/** An answer of any kind. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

export interface HttpCall {
  readonly method?: "POST" | "GET" | undefined;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array | undefined;
  /** How long an answer is waited for, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A server that is called again and again, over connections that stay. */
export interface HttpClient {
  /** @throws Where there is no answer, whole and in time. */
  send(call: HttpCall): Promise<HttpAnswer>;
  close(): void;
}

/** Bytes of the largest answer: a state, as JSON, with all that is beside it. */
const MOST_BYTES = 64 * 1024 * 1024;

/** @param url - Of the server, `http:` or `https:`; its path is left out. */
export function createHttpClient(url: URL): HttpClient {
  const isHttps = url.protocol === "https:";
  const request = isHttps ? requestHttps : requestHttp;
  const agent = isHttps ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  return {
    async send({ method = "POST", path, headers = {}, body, timeoutMs, signal }) {
      const limit = AbortSignal.timeout(timeoutMs);
      const sent = request(new URL(path, url), {
        ...{ method, agent },
        headers: { ...headers, "content-length": `${body?.length ?? 0}` },
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      });
      // What ends it while the answer is read, ends the answer too.
      sent.on("error", () => {});
      sent.end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      return readWhole(response);
    },
    close: () => agent.destroy(),
  };
}

async function readWhole(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`an answer of over ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) };
}
