import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isPortErrorCode, PortError } from "@quasar/nebula/port";
import { type CallName, type Calls, PROTOCOL, REPEATED_MS, type Said, SHARED } from "../calls.ts";
import { CALL_HEADER, type FleetKey, isMac, MAC_HEADER, macOfAnswer, macOfCall } from "../mac.ts";
import { createHttpClient, type HttpAnswer } from "./http.ts";

export interface CallerOptions {
  /** Of the server's ingress. */
  readonly url: URL;
  readonly key: FleetKey;
  readonly service: string;
  /** For how long a call is repeated that has no answer, in milliseconds. */
  readonly patienceMs: number;
}

export interface Caller {
  /**
   * Makes a call, as often as it takes: it is carried out once.
   *
   * @param key - The object's: a nebula's id, or the index.
   * @throws {PortError} what the object refuses it for; `ERR_UNREACHABLE`, `ERR_DENIED`, `ERR_PROTOCOL`; the signal's reason
   */
  call<Name extends CallName>(
    key: string,
    name: Name,
    body: Calls[Name]["body"],
    signal?: AbortSignal,
  ): Promise<Calls[Name]["answer"]>;
  /** Ends its connections, and repeats no call any more. */
  close(): void;
}

/** How long one answer is waited for, in milliseconds: longer than a bell waits. */
const ANSWER_MS = 30_000;

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 500;

/** What the server says of a call that it has not made, and may make later. */
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export function createCaller({ url, key: fleet, service, patienceMs }: CallerOptions): Caller {
  const http = createHttpClient(url);
  // A call that is repeated later than the server knows it would be carried out twice.
  const patience = Math.min(patienceMs, REPEATED_MS / 2);
  let isClosed = false;

  return {
    async call(key, name, body, signal) {
      const bytes = Buffer.from(JSON.stringify({ v: PROTOCOL, body }));
      const call = { key, handler: name, id: randomBytes(16).toString("hex") };
      const headers = {
        "content-type": "application/octet-stream",
        [CALL_HEADER]: call.id,
        [MAC_HEADER]: macOfCall(fleet, call, bytes),
        ...(SHARED.has(name) ? {} : { "idempotency-key": call.id }),
      };
      const path = `/${service}/${encodeURIComponent(key)}/${name}`;
      const end = performance.now() + patience;
      let last: unknown;
      for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, LAST_RETRY_MS)) {
        const leftMs = end - performance.now();
        if (leftMs <= 0 || isClosed) throw unreachable(url, last);
        const timeoutMs = name === "bell" ? ANSWER_MS : Math.max(1, Math.ceil(leftMs));
        try {
          const answer = await http.send({ path, headers, body: bytes, timeoutMs, signal });
          if (!AGAIN.has(answer.status)) return readAnswer(fleet, call.id, answer) as never;
          last = new Error(`HTTP ${answer.status}: ${textOf(answer)}`);
        } catch (error) {
          signal?.throwIfAborted();
          if (error instanceof PortError) throw error;
          last = error;
        }
        await sleep(waitMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
      }
    },
    close() {
      isClosed = true;
      http.close();
    },
  };
}

function unreachable(url: URL, cause: unknown): PortError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new PortError("ERR_UNREACHABLE", `${url.origin} does not answer${why}`, { cause });
}

function readAnswer(fleet: FleetKey, id: string, answer: HttpAnswer): unknown {
  const { status, body } = answer;
  if (status === 401 || status === 403) {
    throw new PortError("ERR_DENIED", "the server has another key");
  }
  if (status !== 200) {
    throw new PortError("ERR_PROTOCOL", `the server answers ${status}: ${textOf(answer)}`);
  }
  const at = body.indexOf(0x0a);
  const mac = Buffer.from(body.subarray(0, Math.max(0, at))).toString();
  const text = body.subarray(at + 1);
  if (!isMac(mac, macOfAnswer(fleet, { id }, text))) {
    throw new PortError("ERR_DENIED", "what answers does not have the fleet's key");
  }
  const said = JSON.parse(Buffer.from(text).toString()) as Said;
  if (said.v !== PROTOCOL) {
    throw new PortError("ERR_PROTOCOL", `the server speaks version ${said.v}, and not ${PROTOCOL}`);
  }
  if (!("refused" in said)) return said.value;
  const { code, message } = said.refused;
  throw new PortError(isPortErrorCode(code) ? code : "ERR_PROTOCOL", message);
}

function textOf({ body }: HttpAnswer): string {
  return Buffer.from(body.subarray(0, 300)).toString();
}
