export { afterEnd } from "../after-end.ts";
export type { FoundTurn, UnfinishedTurn } from "../agent.ts";
export { turnEndedAt } from "../exit-record.ts";
export { prewarm } from "../prewarm.ts";
export {
  endRunProcesses,
  findRunProcesses,
  listRunProcesses,
  runMark,
  type RunProcess,
} from "../run-processes.ts";
export { supervisorErrors, type TurnName } from "../supervisor-errors.ts";
export { watchTurn, type WatchTurnOptions } from "../watch-turn.ts";
