import { PortError } from "./errors.ts";
import type { Json } from "./port.ts";

/** Bytes of the largest state: each save goes over the network whole. */
export const MOST_STATE_BYTES = 4 * 1024 * 1024;

/** Bytes of the largest value that is recorded or resolved, as JSON. */
export const MOST_VALUE_BYTES = 256 * 1024;

/** Milliseconds. Under the shortest, a pause in which nobody can renew is not seen in time. */
export const SHORTEST_TTL_MS = 3000;
export const LONGEST_TTL_MS = 600_000;

/** @throws {PortError} `ERR_TOO_LARGE` */
export function requireStateSize(state: string): void {
  requireSize("the state", Buffer.byteLength(state), MOST_STATE_BYTES);
}

/** @throws {PortError} `ERR_TOO_LARGE` */
export function requireValueSize(value: Json): void {
  requireSize("the value", Buffer.byteLength(JSON.stringify(value)), MOST_VALUE_BYTES);
}

function requireSize(what: string, bytes: number, most: number): void {
  if (bytes <= most) return;
  throw new PortError("ERR_TOO_LARGE", `${what} has ${bytes} bytes, and at most ${most} are kept`);
}

const NAME = /^[\w.@:-]{1,200}$/u;

/** @throws {PortError} `ERR_USAGE` for what is no name of a worker, an ask, a run or a note. */
export function requireName(what: string, name: string): void {
  if (NAME.test(name)) return;
  throw new PortError("ERR_USAGE", `${what} is no name: ${JSON.stringify(name.slice(0, 200))}`);
}

/** @throws {PortError} `ERR_USAGE` */
export function requireTtl(ttlMs: number): void {
  if (Number.isInteger(ttlMs) && ttlMs >= SHORTEST_TTL_MS && ttlMs <= LONGEST_TTL_MS) return;
  const message = `a lease lasts ${SHORTEST_TTL_MS} to ${LONGEST_TTL_MS} milliseconds, not ${ttlMs}`;
  throw new PortError("ERR_USAGE", message);
}
