/** For the packages of this workspace, which are released together: may change in any release. */
export { excerptLines } from "./checks/excerpt.ts";
export { packageManagerOf, packageScripts } from "./checks/package-scripts.ts";
export { subjectGiven, withoutSubject } from "./commit/commit-message.ts";
export { COMMIT_ADVICE } from "./commit/commit-refused.ts";
export { fullDiskOf } from "./full-disk.ts";
export { failureOptions, openedWords } from "./failure-options.ts";
export { dollarsAllowed, upToCent } from "./money/money.ts";
export { mostOfTurn, openTurnUsd } from "./money/open-turn.ts";
export { nextRole } from "./money/to-come.ts";
export { firstCycleBudget, refuseStart } from "./money/refuse-start.ts";
export {
  type ControlsOptions,
  controlsWords,
  openControls,
  stopWords,
} from "./repository/controls.ts";
export { type Conventions, readConventions } from "./repository/read-conventions.ts";
export { storedBranch } from "./resume/assess.ts";
export { cutAtWord } from "./text.ts";
export { subjectPrompt } from "./turn/subject-prompt.ts";
export { nextTurnId } from "./turn/turn-id.ts";
export type { People } from "./question/people.ts";
export { QUESTION_KINDS } from "./question/parse-questions.ts";
export { type RelayedAnswer, blockingQuestions } from "./question/relay.ts";
export { processOf } from "./turn/turn-process.ts";
export { waitUntil } from "./wait-until.ts";
export { parseOnce } from "./review/parse-once.ts";
