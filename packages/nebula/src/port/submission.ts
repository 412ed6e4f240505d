import { createHash } from "node:crypto";
import type { Submission } from "./port.ts";

/** By which it is known that a submission is the same. */
export function digestOf({ id, name, depot, state }: Submission): string {
  return createHash("sha256")
    .update(JSON.stringify([id, name, depot, state]))
    .digest("hex");
}
