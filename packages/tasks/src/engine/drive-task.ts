import { createHookFileStore } from "@quasar/hookfile";
import { readArtifact, saveArtifact } from "../artifacts.ts";
import { endTaskAgents } from "../runs/task-agents.ts";
import { EXECUTORS } from "../steps/index.ts";
import { stepPrompt } from "../steps/step-prompt.ts";
import { openTaskLog } from "../task-log.ts";
import { readTask, writeTask } from "../task-store.ts";
import { missingReceipts, recoverHead } from "../validation/adopt.ts";
import { interruptedValidation } from "../validation/outcomes.ts";
import { receiptFacts } from "../validation/receipt-chain.ts";
import { setUpTask } from "../workspaces/set-up-task.ts";
import { freeGit } from "../free-git.ts";
import { changedControls, controlsObstacle } from "../git-controls.ts";
import { createEngine, type DriveTask } from "./drive.ts";
import { gitWorkTreeReader } from "./work-tree-reader.ts";
import { gitHook } from "./git-hook.ts";
import { notify } from "./notify.ts";
import { onNote } from "./on-note.ts";
import type { EngineParts } from "./parts.ts";
import { lockWorkTree } from "./work-tree-lock.ts";

export const PROGRAM_PARTS: EngineParts = {
  executors: EXECUTORS,
  promptOf: stepPrompt,
  setUp: setUpTask,
  files: { read: readTask, write: writeTask, saveArtifact, readArtifact, openLog: openTaskLog },
  workTreeReader: gitWorkTreeReader,
  gitHook,
  openStore: createHookFileStore,
  freeGit,
  controls: { obstacle: controlsObstacle, changed: changedControls },
  lockWorkTree,
  endAgents: endTaskAgents,
  receipts: {
    missing: missingReceipts,
    recoverHead,
    judge: (taskDir, hook, keys) => receiptFacts(taskDir, keys).judge(hook),
    interrupted: interruptedValidation,
  },
  notify,
  onNote,
};

/**
 * Drives a task: from where it is, after whatever crash, to its end, to where a person is needed, or to
 * where it has to stand still. What is done is never done again, and what is not done is not left out.
 *
 * One process drives a task at a time, and only one works in its work tree. Nothing is changed where
 * another one does, or where the task waits for a person or has ended.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; `ERR_LOCKED`, which says who has it; `ERR_DAMAGED`; those of the
 *   set-up. {GitError} for a work tree that cannot be used. What was done until then is on record.
 * @see SPEC.md, "The engine"
 */
export const driveTask: DriveTask = createEngine(PROGRAM_PARTS);
