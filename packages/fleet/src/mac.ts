import { createHmac, timingSafeEqual } from "node:crypto";
import { PortError } from "@quasar/nebula/port";

/** What two sides of a fleet share: 64 hex digits, random. */
export type FleetKey = string;

/** What a call is: all of it is under its code. */
export interface Call {
  /** The object's key: a nebula's id. */
  readonly key: string;
  readonly handler: string;
  /** Random: of this call, however often it is sent. */
  readonly id: string;
}

/** Headers of a call. */
export const MAC_HEADER = "quasar-mac";
export const CALL_HEADER = "quasar-call";

/** @throws {PortError} `ERR_USAGE` */
export function requireKey(key: FleetKey): void {
  if (/^[0-9a-f]{64}$/u.test(key)) return;
  throw new PortError("ERR_USAGE", "a fleet's key has 64 hex digits");
}

export function macOfCall(fleet: FleetKey, { key, handler, id }: Call, body: Uint8Array): string {
  return mac(fleet, ["call", key, handler, id], body);
}

/** An answer is one to this call alone. */
export function macOfAnswer(fleet: FleetKey, { id }: Pick<Call, "id">, body: Uint8Array): string {
  return mac(fleet, ["answer", id], body);
}

export function isMac(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function mac(fleet: FleetKey, about: readonly string[], body: Uint8Array): string {
  const hash = createHmac("sha256", Buffer.from(fleet, "hex"));
  return hash
    .update(`${JSON.stringify(about)}\n`)
    .update(body)
    .digest("hex");
}
