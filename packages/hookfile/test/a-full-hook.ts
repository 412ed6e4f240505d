import type { HookFile } from "../src/store/hook-file.ts";
import { transitionOnce, transition } from "../src/transitions/transitions.ts";
import { aCheckpoint, aReceipt, aTask } from "./a-task.ts";

const now = new Date("2026-01-02T03:04:05.678Z");

/** A hook file that has every field. */
export function aFullHook(change: Partial<HookFile> = {}): HookFile {
  const { hook } = transitionOnce(undefined, { type: "init", task: aTask() }, { now });
  const { hook: last } = transition(
    hook,
    [
      { type: "setup_complete" },
      { type: "start_step", prompt: "Fix it", workingOn: "the parser" },
      { type: "checkpoint", checkpoint: aFullCheckpoint },
      { type: "step_complete" },
      { type: "start_step" },
      { type: "step_output" },
      { type: "validate_pass", receipts: [aReceipt()] },
      { type: "start_step" },
      {
        type: "crash_detected",
        recovery: {
          detectedAt: now.toISOString(),
          crashType: "signal",
          lastKnownState: "step_running",
          wasValidating: true,
          validationCmd: "pnpm test",
          partialOutput: "1 failed",
          recommendedAction: "retry_validation",
          reason: "the process is gone",
          lastCheckpointId: "ckpt-1",
        },
      },
      { type: "manual_required", reason: "see to it", details: { free: ["form", 1, null, true] } },
    ],
    { now },
  );
  const { currentStep } = last;
  if (currentStep === undefined) throw new Error("no step is current");
  return {
    ...last,
    revision: 3,
    currentStep: {
      ...currentStep,
      filesTouched: ["src/config.ts"],
      fileChanges: [{ path: "src/config.ts", change: "modified", committed: true }],
      lastOutput: "done \u{1f600}",
      currentCheckpointId: "ckpt-1",
      workingOn: "the parser",
    },
    owner: { pid: 7, startTime: 9, bootId: "b-1", host: "h", runId: "r-1" },
    head: { file: 2, record: 1, sha256: "d".repeat(64) },
    extra: { another_tool: { deep: [1, { a: "b" }] } },
    ...change,
  };
}

const aFullCheckpoint = aCheckpoint({
  gitCommit: "e".repeat(40),
  artifacts: ["snapshot.json"],
  filesSnapshot: [
    { path: "a.ts", size: 3, modTime: now.toISOString(), sha256: "0123456789abcdef", exists: true },
    { path: "b.ts", size: 0, modTime: "", sha256: "", exists: false },
  ],
});
