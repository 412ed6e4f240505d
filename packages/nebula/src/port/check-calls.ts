import { isNebulaId } from "../state/home.ts";
import { PortError } from "./errors.ts";
import { requireName, requireTtl, requireValueSize } from "./limits.ts";
import type { Entry, LeaseAsk, Offer } from "./port.ts";

/** @throws {PortError} `ERR_NOT_FOUND`: no nebula has such an id. */
export function requireNebulaId(id: string): void {
  if (isNebulaId(id)) return;
  throw new PortError("ERR_NOT_FOUND", `there is no nebula ${JSON.stringify(id.slice(0, 100))}`);
}

/** @throws {PortError} `ERR_NOT_FOUND`, `ERR_USAGE` */
export function requireAsk({ nebula, work, ask, worker, ttlMs }: LeaseAsk): void {
  requireNebulaId(nebula);
  requireName("the work", work);
  requireName("the ask", ask);
  requireName("the worker", worker.id);
  requireTtl(ttlMs);
}

/** @throws {PortError} `ERR_USAGE`, `ERR_TOO_LARGE` */
export function requireEntry(entry: Entry): void {
  if (entry.as === "state") entry.offers.forEach(requireOffer);
  else requireValueSize(entry.value);
  if (entry.as === "note") requireName("the key of a note", entry.key);
}

function requireOffer({ work, runId, task }: Offer): void {
  requireName("the work of an offer", work);
  requireName("the run of an offer", runId);
  requireValueSize(task);
}
