/** What those who work on a nebula need of each other, on one machine or several; see `NebulaPort`. */
export {
  type Awaited,
  awaited,
  type Board,
  choicesOf,
  currentRecord,
  entryOf,
  type EntryToRecord,
  eventsAfter,
  newBoard,
  record,
  resolve,
  signalled,
  statusOf,
} from "./board.ts";
export { requireAsk, requireEntry, requireNebulaId } from "./check-calls.ts";
export { isPortErrorCode, PortError, type PortErrorCode } from "./errors.ts";
export { lease, type LeaseTable, NO_LEASES, release, renew } from "./leases.ts";
export type * from "./port.ts";
export { LANE } from "./port.ts";
export { gateId, outcomeId, readReply } from "./promises.ts";
export { revOf, type StateFacts, stateFacts } from "./state-facts.ts";
export { digestOf } from "./submission.ts";
export { waitFor } from "./wait.ts";
export { type KeptEvent, parseEvent } from "../state/recent-events.ts";
