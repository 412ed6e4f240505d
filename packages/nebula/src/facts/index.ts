/** What is shown of a nebula: the one source of every report, screen and answer. */
export { eventWords, type EventLine, questionWords } from "./event-words.ts";
export { isFunded, type NebulaBeside, nebulaFacts, type NebulaSources } from "./facts.ts";
export type {
  DecisionFacts,
  FleetFacts,
  LandingFacts,
  NebulaEventFacts,
  NebulaFacts,
  NeedFacts,
  PhaseFacts,
  PushFacts,
  QuestionFacts,
  ReworkFacts,
  VerificationFacts,
} from "./nebula-facts.ts";
export { needsOf } from "./needs.ts";
export {
  type LimitsOf,
  type NebulaFactsOptions,
  type NebulaFactsReader,
  openNebulaFacts,
  readNebulaFacts,
} from "./read-facts.ts";
export { redactNebulaFacts } from "./redact.ts";
export { reasonOf, type Standing, standingOf } from "./standing.ts";
export { NO_STORY, type NebulaStory, continueStory } from "./story.ts";
