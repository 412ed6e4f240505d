/** What is shown of a nebula: the one source of every report, screen and answer. */
export type { LandingFacts, NebulaFacts, NeedFacts, PhaseFacts } from "./nebula-facts.ts";
