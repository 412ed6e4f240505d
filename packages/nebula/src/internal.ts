/** For the packages of this workspace, which are released together: may change in any release. */
export { branchOf } from "./state/branch.ts";
export { bringBackCommand } from "./state/bring-back.ts";
export { MANIFEST_FILE } from "./spec/manifest.ts";
export { DEFAULT_WORKERS } from "./spec/settings.ts";
export { FILE_SCHEMAS, REQUIRED_KEYS } from "./spec/schema.ts";
export { type PhaseAttempt, phaseAttempts } from "./state/attempts.ts";
export { checkNebulae, type NebulaProblem } from "./state/check.ts";
export {
  type NebulaCost,
  nebulaCost,
  NOTHING as NOTHING_SPENT,
  recordedCost,
  sumOf as sumOfCosts,
} from "./state/cost.ts";
export { type NebulaNow, nebulaNow, type StandingLimit } from "./people/now.ts";
export { awaitsPush, isInLane, isPushed, type NebulaProgress, progressOf } from "./state/state.ts";
export { type CostEstimate, estimateCost } from "./plan/estimate.ts";
export { pastPhases } from "./state/past.ts";
export { nebulaEvents } from "./state/events.ts";
export { followEvents } from "./state/follow.ts";
export type { KeptEvent } from "./state/recent-events.ts";
export { type Choice, chooseNebula, findNebula, namedNebulae } from "./state/choose.ts";
export { canRetry, isUnfinished, keptSpec, listNebulae, withTypedTotal } from "./state/list.ts";
export { findObstacles, type NebulaObstacle } from "./engine/find-obstacles.ts";
export { keptAs, type PrunedNebula, pruneNebula } from "./engine/prune.ts";
export { pathsSinceApproval } from "./landing/since-approval.ts";
export { type Squashed, squashNebula } from "./landing/squash.ts";
export { type BudgetFacts, limitOf, type Shortage, shortages } from "./engine/budget.ts";
export type { LandingsOnly } from "./context/context.ts";
export { type Edited, editedSince, takesAnything } from "./engine/edited.ts";
export { type NebulaUpdate, planUpdate } from "./people/update.ts";
export type { SettingChange } from "./spec/changed-settings.ts";
export { updateNebula } from "./people/update-nebula.ts";
export { firstTaskText } from "./engine/task-text.ts";
export { earlierText } from "./engine/text-of-run.ts";
export { continueNebula, pauseEnds, pauseNebula } from "./people/pause.ts";
export { updateBase } from "./engine/update-base.ts";
export type { BaseUpdate } from "./people/take-base.ts";
export { answerQuestion, nebulaOfQuestion, noQuestion } from "./people/answer-question.ts";
export { canDecide } from "./people/decision.ts";
export { decidePlan, planWaits } from "./people/plan-gate.ts";
export type { AgentQuestion } from "./question.ts";
export { stopEngine } from "./people/stop.ts";
export { isTreeOfPhase, type OwnedPhase, phaseOfRun, phaseOfTree } from "./state/phase-run.ts";
export { refuseWorkedOn, unfinishedError } from "./state/unfinished.ts";
export { hasTrees } from "./trees/left.ts";
export { treesFolder } from "./trees/place.ts";
export { treesToFix } from "./trees/to-fix.ts";
export { moveBranchCommand } from "./state/move-branch.ts";
export { noPhase } from "./state/no-phase.ts";
export { resumeCommand } from "./state/resume-command.ts";
export { nebulaHome, refsOf, runsFolder } from "./state/home.ts";
export { engineOf } from "./state/lock.ts";
export { createFilePort, type FilePort, type FilePortOptions } from "./port/files/file-port.ts";
export { fleetNebulaFacts, type FleetSources } from "./fleet/fleet-facts.ts";
export { continueHistory, type FleetHistory, NO_HISTORY } from "./fleet/history.ts";
export { failedBase, redBaseWords } from "./engine/red-base.ts";
