import { type Checkpoint, CheckpointError } from "@quasar/checkpoint";
import { freeGit, leftoversBeside, recoverAndLoad, removeCompatible } from "@quasar/runs/internal";
import { endLeftovers, type RunDriver } from "@quasar/runs/tree";
import type { RunningStep } from "../steps/step.ts";
import { doneOf, failed } from "./agent-outcome.ts";
import type { AgentWork, AgentWorkResult } from "./agent-work.ts";
import { stepDriver } from "./step-driver.ts";
import { openStepRun, type StepRun } from "./step-run.ts";
import { takeRun } from "./take-run.ts";
import { findTaskAgents } from "./task-agents.ts";

/**
 * Has agents work in a step, or continues with what they had begun before a crash: what is finished is
 * never asked for again, an agent that lives is followed, one that died is resumed or started again.
 * Whatever other runs of the task have left running is ended first.
 *
 * Call it under the task's lock and the work tree's, with the run that `assignRun` gave to the attempt.
 * The prompt counts when the run begins; who continues with it continues with that one.
 *
 * @throws {TasksError} `ERR_UNSAFE_ID` for a suffix that is none. {GitError} for a work tree that
 *   cannot be used.
 * @see SPEC.md, "Runs of agents"
 */
export async function workOnStep(input: RunningStep, work: AgentWork): Promise<AgentWorkResult> {
  const run = openStepRun(input, work);
  try {
    return await takeTurns(run);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    if (error.code === "ERR_NOT_DURABLE") {
      return { kind: "stopped", why: "storage", message: error.message };
    }
    const reason = `run ${run.name} cannot be resumed; a retry starts a new one: ${error.message}`;
    return { ...failed("interrupted", reason), endsRun: true };
  }
}

async function takeTurns(run: StepRun): Promise<AgentWorkResult> {
  const { input, work, stores, compatible } = run;
  const driver = await stepDriver(input);
  const ended = await recoverAndLoad(stores.archive);
  const left = ended ?? (await recoverAndLoad(stores.current));
  for (const message of left?.problems ?? []) driver.warn(message);
  if (left !== undefined && input.ports.sealKey !== undefined && left.seal !== "valid") {
    throw new CheckpointError("ERR_DAMAGED", "its checkpoint was not written by this installation");
  }
  const stopped = await clearTree(run, driver, left?.checkpoint);
  if (stopped !== undefined) return stopped;
  if (ended === undefined) return takeRun({ ...run, left: left?.checkpoint }, driver);
  // A crash may have come between the two halves of archiving it.
  await stores.current.remove();
  if (compatible !== undefined) await removeCompatible(compatible, driver.warn);
  return doneOf(ended.checkpoint, work.kind, true);
}

/** Ends what runs of the task have left: not this run's, where an agent of it may be followed. */
async function clearTree(
  { input, runId }: StepRun,
  driver: RunDriver,
  checkpoint: Checkpoint | undefined,
): Promise<AgentWorkResult | undefined> {
  const ended = leftoversBeside(await findTaskAgents(input.taskDir), runId, checkpoint);
  const left = await endLeftovers(ended);
  // A git may have been with them.
  if (ended.length > 0) await freeGit(driver);
  if (left.length === 0) return undefined;
  const pids = left.flatMap((each) => each.pids).join(" ");
  const reason = `processes of an earlier run do not end: kill -9 ${pids}, then atlas retry`;
  return failed("attempts", reason);
}
