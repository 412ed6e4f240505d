/** The report's page as it is shown live, and what its server sends it. */
export { type LivePage, livePage } from "./live/page.ts";
export {
  type Decision,
  type DecisionMade,
  type DecisionNote,
  type DecisionVerb,
  LIVE_PATHS,
  type LiveFacts,
  type LiveMessage,
  type ReportFacts,
  TOKEN_KEY,
} from "./live/protocol.ts";
export { type ShownDiff, shownDiff, shownTranscript } from "./shown.ts";
export { messageSince, type Snapshot, snapshotOf } from "./live/snapshot.ts";
