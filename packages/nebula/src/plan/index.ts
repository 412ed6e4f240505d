/** What working on a nebula would mean: in which order, at which cost, and what it asks for. */
export { type NebulaPlan, type PlannedPhase, planNebula, type PlanFacts } from "./plan.ts";
