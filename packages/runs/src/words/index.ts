/** What happens in a run, and how its parts stand, in words: each said in one way. */
export {
  changesText,
  CHECK_LABELS,
  checkWords,
  commitWords,
  doneWords,
  forkedWords,
  GIVEN_UP,
  outcomeText,
  RECOVERIES,
  recoveryWords,
  REFACTORED,
  retriedWords,
  retryWords,
  reviewWords,
  snapshotWords,
  startWords,
  undoneWords,
  waitingWords,
} from "./events.ts";
export { FINDING_STATUSES, RECOVERED, shortId, TURN_ENDS } from "./states.ts";
export { minuteAfter, momentAfter, openTurnWords, timeText } from "../text/format.ts";
export { landedWords } from "../text/landed-words.ts";
