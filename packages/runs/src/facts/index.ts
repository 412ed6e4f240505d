/** What is shown of a run: the one source of every report, screen and answer. */
export type {
  CheckFacts,
  CommitFacts,
  CycleFacts,
  EventFacts,
  FindingFacts,
  LifeFacts,
  MoneyFacts,
  RunFacts,
  ShareFacts,
  TurnFacts,
  VerdictFacts,
} from "./run-facts.ts";
