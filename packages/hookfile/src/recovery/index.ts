export {
  acknowledgeQuarantine,
  type QuarantinedFile,
  quarantinedFiles,
} from "../store/quarantine.ts";
export { scanTasks } from "../store/scan.ts";
export type { CrashFacts } from "./crash.ts";
export type { StepEffect } from "./recovery-decision.ts";
export { detectAndRecover, type Detection, recoveryInput } from "./recovery.ts";
export { claimTask, lockTask } from "./task-owner.ts";
