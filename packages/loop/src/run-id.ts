import { randomBytes } from "node:crypto";

/** A run id that nobody else has: 12 hex digits. */
export function newRunId(): string {
  return randomBytes(6).toString("hex");
}
