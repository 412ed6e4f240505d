import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** What of a request says whether it is answered. */
export interface Asking {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether it is for the page itself, which has no data in it. */
  readonly isPage: boolean;
}

/** Whom the server answers. */
export interface Guarded {
  /** As the page's address has it: `127.0.0.1:49152`. */
  readonly host: string;
  readonly token: string;
}

/** Why a request is refused. */
export interface Refused {
  readonly status: 401 | 403;
  readonly message: string;
}

/**
 * Decides whether a request is answered: only at the very address that was printed, so that no other name leads here; from no
 * other page; and, but for the page itself, with the token.
 *
 * @returns `undefined`: it is.
 */
export function refusalOf(
  { method, headers, isPage }: Asking,
  { host, token }: Guarded,
): Refused | undefined {
  if (headers.host !== host) return { status: 403, message: "this is no name of this server" };
  const { origin } = headers;
  // A browser leaves it out where a page reads from its own server, and nowhere else.
  const isOwn = origin === undefined ? method === "GET" : origin === `http://${host}`;
  if (!isOwn) return { status: 403, message: "another page asks" };
  if (isPage || isToken(headers.authorization, token)) return undefined;
  return { status: 401, message: "the token is missing or another one" };
}

/** Takes as long for any wrong token. */
function isToken(authorization: string | undefined, token: string): boolean {
  const [given, wanted] = [authorization ?? "", `Bearer ${token}`].map((text) =>
    createHash("sha256").update(text).digest(),
  );
  return given !== undefined && wanted !== undefined && timingSafeEqual(given, wanted);
}
