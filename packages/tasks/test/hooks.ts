import { type HookFile, type HookInput, type NewTask, transition } from "@quasar/hookfile";

const NOW = new Date("2026-01-17T14:30:22Z");

/** A bugfix task with these steps, in short. */
export const NEW_TASK: NewTask = {
  taskId: "task-550e8400-e29b-41d4-a716-446655440000",
  workspaceId: "fix-null-pointer",
  title: "fix null pointer",
  description: "fix null pointer",
  template: "bugfix",
  branch: "fix/fix-null-pointer",
  worktreePath: "/src/repo-fix-null-pointer",
  repoPath: "/src/repo",
  keyIndex: 0,
  steps: [
    { name: "analyze", type: "ai" },
    { name: "implement", type: "loop" },
    { name: "validate", type: "validation" },
    { name: "git_push", type: "git" },
    { name: "review", type: "human" },
  ],
};

/** A task to which this has happened since it was set up. */
export function hookAfter(...inputs: readonly HookInput[]): HookFile {
  const begin: readonly HookInput[] = [
    { type: "init", task: NEW_TASK },
    { type: "setup_complete" },
  ];
  return transition(undefined, [...begin, ...inputs], { now: NOW }).hook;
}

export const START: HookInput = { type: "start_step" };
export const DONE: HookInput = { type: "step_complete" };

/** Each state that a task can be in, in which a decision is asked of a person or not. */
export const SCENES: Readonly<Record<string, HookFile>> = {
  pending: hookAfter(),
  running: hookAfter(START),
  review: hookAfter(START, { type: "human_required", kind: "review", reason: "look at it" }),
  git: hookAfter(START, { type: "human_required", kind: "git", reason: "run gh" }),
  recovering: hookAfter(START, crash("retry_step")),
  manual: hookAfter(START, crash("manual")),
  abandoned: hookAfter({ type: "abandon" }),
  failed: hookAfter({ type: "fail", reason: "no" }),
};

function crash(recommendedAction: "retry_step" | "manual"): HookInput {
  return {
    type: "crash_detected",
    recovery: {
      detectedAt: NOW.toISOString(),
      crashType: "signal",
      lastKnownState: "step_running",
      wasValidating: false,
      recommendedAction,
      reason: "it was killed",
    },
  };
}
