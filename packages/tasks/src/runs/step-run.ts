import { join } from "node:path";
import type { TurnKind } from "@quasar/loop";
import { TasksError } from "../errors.ts";
import type { RunningStep } from "../steps/step.ts";
import type { AgentWork } from "./agent-work.ts";
import { runsFolder, runStores } from "./run-store.ts";
import { runName } from "./step-runs.ts";
import type { RunStores } from "@quasar/runs/tree";

/** One run of agents, for one piece of work in a step. */
export interface StepRun {
  readonly input: RunningStep;
  readonly work: AgentWork;
  /** Which turn it is by itself; `undefined`: a loop. */
  readonly turn: TurnKind | undefined;
  /** `implement-2`, or `validate-1.fix-1`; its folder's name under `runs/`. */
  readonly name: string;
  readonly runId: string;
  readonly dir: string;
  readonly store: RunStores;
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
  const store = runStores(dir, task.id, ports.sealKey);
  return { input, work, turn: turnOf(work), name, runId: `${task.id}-${name}`, dir, store };
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
