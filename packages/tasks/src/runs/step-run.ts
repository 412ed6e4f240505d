import { join } from "node:path";
import { createFileCheckpointStore } from "@quasar/checkpoint";
import type { TurnKind } from "@quasar/loop/turn";
import type { CompatibilityCheckpoint, DrivenRun } from "@quasar/runs/tree";
import { TasksError } from "../errors.ts";
import type { RunningStep } from "../steps/step.ts";
import type { AgentWork } from "./agent-work.ts";
import { runsFolder, runStores } from "./run-store.ts";
import { runName } from "./step-runs.ts";
import { withoutSynopsis } from "./synopsis.ts";

/** One run of agents, for one piece of work in a step. */
export interface StepRun extends DrivenRun {
  readonly input: RunningStep;
  readonly work: AgentWork;
  /** `implement-2`, or `validate-1.fix-1`; its folder's name under `runs/`. */
  readonly name: string;
}

const SUFFIX = /^[a-z][a-z0-9-]{0,29}$/u;

/** @throws {TasksError} `ERR_UNSAFE_ID` for a suffix that is none. */
export function openStepRun(input: RunningStep, work: AgentWork): StepRun {
  const { hook, step, task, taskDir, ports } = input;
  const { suffix = "" } = work;
  if (suffix !== "" && !SUFFIX.test(suffix)) {
    throw new TasksError("ERR_UNSAFE_ID", `${JSON.stringify(suffix)} cannot name a run`);
  }
  // No step's name has a dot in it: a run with a suffix has no other step's name.
  const name = `${runName(hook, step.name)}${suffix === "" ? "" : `.${suffix}`}`;
  const dir = join(runsFolder(taskDir), name);
  const turn = turnOf(work);
  return {
    ...{ input, work, turn, name, dir },
    runId: `${task.id}-${name}`,
    stores: runStores(dir, task.id, ports.sealKey),
    task: { id: task.id, title: withoutSynopsis(work.prompt) },
    compatible: turn === undefined ? compatibleOf(input) : undefined,
  };
}

/** What the seed's hook writes for a loop step: `cycles/checkpoint.<step>.toml`. */
function compatibleOf({ taskDir, task, step, ports }: RunningStep): CompatibilityCheckpoint {
  const dir = join(taskDir, "cycles");
  const sealed = { sealKey: ports.sealKey, repositoryId: task.id };
  return { store: createFileCheckpointStore({ dir, ...sealed }), dir, phaseId: step.name };
}

function turnOf({ kind, access = "read" }: AgentWork): TurnKind | undefined {
  switch (kind) {
    case "loop":
      return undefined;
    case "review":
      return "reviewer";
    case "turn":
      return access === "read" ? "reader" : "coder";
  }
}
