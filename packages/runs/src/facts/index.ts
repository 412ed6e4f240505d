/** What is shown of a run: the one source of every report, screen and answer. */
export { continueStory, NO_STORY, type Story } from "./story.ts";
export { type FactSources, runFacts } from "./make.ts";
export { redactFacts } from "./redact.ts";
export {
  type FactsOptions,
  openFactsIn,
  openRunFacts,
  readFactsIn,
  readRunFacts,
  type RunFactsReader,
} from "./read.ts";
export type {
  CheckFacts,
  CommitFacts,
  CycleFacts,
  EventFacts,
  FindingFacts,
  LifeFacts,
  MoneyFacts,
  RecoveryFacts,
  RunFacts,
  ShareFacts,
  TurnFacts,
  VerdictFacts,
} from "./run-facts.ts";
export {
  readTranscript,
  redactTranscript,
  type SaidEvent,
  type TranscriptFacts,
  type TranscriptOptions,
} from "./transcript.ts";
