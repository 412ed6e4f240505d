import { createCheckpoint } from "@quasar/checkpoint";
import { newCommitStyle } from "./commit/commit-style.ts";
import { stateFromCheckpoint } from "./convert.ts";
import { messageOf } from "./emitter.ts";
import { drive } from "./engine.ts";
import { LoopError } from "./errors.ts";
import { openingWarnings, treeWarning, warning } from "./opening.ts";
import type { Task, TaskResult } from "./options.ts";
import { keepProtected, protect } from "./commit/protected.ts";
import { type Ports, Run } from "./run.ts";
import { newRunId } from "./run-id.ts";
import { DEFAULT_MAX_BUDGET_USD, DEFAULT_MAX_CYCLES, type Settings } from "./settings.ts";
import { headAtStart } from "./repository/work-tree.ts";
import { oneLine, trimSpace } from "./text.ts";

/** `runTask` on given ports. */
export async function startRun(task: Task, settings: Settings, ports: Ports): Promise<TaskResult> {
  const title = task.title.toWellFormed();
  if (trimSpace(title) === "") throw new LoopError("ERR_INVALID_TASK", "the task says nothing");
  const { head, branch, unheld } = await headAtStart(settings, ports);
  const hidden = (await ports.repository?.hidden()) ?? [];
  const runId = settings.runId ?? newRunId();
  const { id, problem } = await nameTask(task, title, runId, settings);
  const unprotected = stateFromCheckpoint(
    createCheckpoint({
      taskBeadId: id,
      taskTitle: title,
      runId,
      phase: "bead_created",
      cycle: 1,
      maxCycles: settings.maxCycles ?? DEFAULT_MAX_CYCLES,
      maxBudgetUsd: settings.maxBudgetUsd ?? DEFAULT_MAX_BUDGET_USD,
      baseCommitSha: head,
      branch,
      untouchablePaths: [
        ...settings.untouchablePaths,
        ...unheld,
        ...hidden.map(({ path }) => path),
      ],
      commitStyle: await newCommitStyle(settings.commit, ports.repository),
    }),
  );
  const state = await protect(unprotected, ports.repository);
  const opening = openingWarnings(settings, ports, state);
  if (ports.repository !== undefined && settings.ownsTree !== true) {
    opening.push(treeWarning(state));
  }
  if (problem !== undefined) opening.push(warning(state, problem));
  opening.push(...(await keepProtected(state, ports.repository, settings.signal)));
  return drive(new Run(settings, ports, { state, head }), opening);
}

/** Names the task, by the first listener that can. */
async function nameTask(
  task: Task,
  title: string,
  runId: string,
  { hooks }: Settings,
): Promise<{ id: string; problem?: string }> {
  const given = oneLine(task.id ?? "");
  if (given !== "") return { id: given };
  const namer = hooks.find((hook) => hook.createTask !== undefined);
  try {
    const id = oneLine((await namer?.createTask?.(title)) ?? "");
    if (id !== "") return { id };
  } catch (error) {
    return { id: `task-${runId}`, problem: `the task could not be recorded: ${messageOf(error)}` };
  }
  return { id: `task-${runId}` };
}
