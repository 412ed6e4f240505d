import { PortError } from "@quasar/nebula/port";
import { createHttpClient } from "./client/http.ts";

export interface RegisterOptions {
  /** Of the server's admin port, which no other machine should reach. */
  readonly admin: string;
  /** Of the object: see `serveFleet`. */
  readonly url: string;
}

const ANSWER_MS = 30_000;

/**
 * Has the server call the object that is served there, in place of the one that it knew under this URL.
 *
 * @throws {PortError} `ERR_UNREACHABLE`; `ERR_PROTOCOL` where the server takes none
 */
export async function registerFleet({ admin, url }: RegisterOptions): Promise<void> {
  const http = createHttpClient(new URL(admin));
  // Without `force` the server keeps what it was told of an earlier version.
  const body = Buffer.from(JSON.stringify({ uri: url, force: true }));
  const headers = { "content-type": "application/json" };
  try {
    const sent = { path: "/deployments", headers, body, timeoutMs: ANSWER_MS };
    const answer = await http.send(sent).catch((cause: unknown) => {
      throw new PortError("ERR_UNREACHABLE", `${admin} does not answer`, { cause });
    });
    if (answer.status >= 200 && answer.status < 300) return;
    const said = Buffer.from(answer.body.subarray(0, 300)).toString();
    throw new PortError("ERR_PROTOCOL", `the server does not take ${url}: ${said}`);
  } finally {
    http.close();
  }
}
