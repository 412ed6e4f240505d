/** Runs of coding agents in a work tree that continue exactly after any crash. */
export type { Abandoned } from "./abandon.ts";
export type { CheckedProblem } from "./check/check.ts";
export { RunsError, type RunsErrorCode } from "./errors.ts";
export type { RunEnd, RunEvent } from "./events.ts";
export type { Forked } from "./fork-run.ts";
export type { Fact } from "./journal/fact.ts";
export type { KeptRuns } from "./kept.ts";
export type { RunStatus, RunSummary } from "./look/summary.ts";
export type { TurnSummary } from "./look/turns.ts";
export type { NextStep } from "./next-step.ts";
export { openRuns, type ResumeOptions, type RunDetails, type Runs } from "./open-runs.ts";
export type { Pruned } from "./prune.ts";
export type { Override } from "./resume/judge.ts";
export type { Plan } from "./resume/plan.ts";
export type { RunOptions } from "./run-options.ts";
export type { RunSnapshot, RunSnapshots } from "./snapshots/list.ts";
export type { StartOptions } from "./start.ts";
export type { Workspace } from "./workspace.ts";
