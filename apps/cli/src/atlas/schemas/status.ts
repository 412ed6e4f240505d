import * as v from "valibot";
import {
  usd,
  list,
  object,
  record,
  text,
  texts,
  time,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import {
  awaiting,
  commit,
  found,
  hook,
  hookState,
  owner,
  problem,
  quarantinedFile,
  receiptChain,
  recovery,
  statement,
  stepCheckpoint,
  task,
  taskCost,
  verdict,
} from "./parts.ts";

const stop = object(
  {
    type: v.literal("stopped"),
    time: time("When"),
    step: text("The step's name"),
    reason: word(["interrupted", "budget", "limit", "storage"], "For a program"),
    message: text("For a person"),
    retryAt: v.optional(time("When a usage limit is lifted")),
    limit: v.optional(text("When that is, and why it is not waited for, in words")),
    neededBudgetUsd: v.optional(usd("What the task's budget has to be for its next turns")),
  },
  "Why it stopped last",
);

export const statusLine = result("status", "All that is known of a task", {
  taskRecord: task,
  hook,
  verdicts: record(verdict, "Of its receipts, by their ids"),
  dir: text("Its folder"),
  found,
  owner: v.optional(owner),
  stop: v.optional(stop),
  chain: receiptChain,
  problems: list(problem, "What was repaired now"),
  quarantined: list(quarantinedFile, "Files that something other than atlas has changed"),
  cost: taskCost,
});

export const tasksLine = result("list", "All tasks", {
  home: text("Where everything is kept"),
  tasks: list(
    v.object({
      workspaceId: text("Its workspace"),
      taskId: text("The task"),
      dir: text("Its folder"),
      hook: v.optional(hook),
    }),
    "Those without hook are damaged",
  ),
});

export const hookStatusLine = result("hook_status", "Where a task is", {
  dir: text("Its folder"),
  taskId: text("The task"),
  workspaceId: text("Its workspace"),
  state: hookState,
  currentStep: hook.entries.currentStep,
  awaiting: v.optional(awaiting),
  recovery: v.optional(recovery),
  revision: whole("Counts the changes of hook.json"),
  counts: hook.entries.counts,
  lastCheckpoint: v.optional(stepCheckpoint),
  owner: v.optional(owner),
  chain: receiptChain,
  problems: list(problem, "What was repaired now"),
  quarantined: list(quarantinedFile, "Files that something other than atlas has changed"),
  brokenHistory: v.optional(text("What is wrong with the history")),
});

export const recoverLine = result("recover", "What a crash has left, and what can be done", {
  taskId: text("The task"),
  state: hookState,
  found,
  recovery: v.optional(recovery),
  awaiting: v.optional(awaiting),
  choices: list(
    v.object({
      name: text("What --apply takes"),
      command: text("What does it"),
      meaning: text("In words"),
    }),
    "Best first",
  ),
});

export const verifyLine = result("verify", "Whether a commit is what was validated", {
  outcome: word(["valid", "invalid", "unverifiable"], "unverifiable: that cannot be said here"),
  reasons: texts("Why not"),
  commit: v.optional(commit),
  taskId: v.optional(text("The task; left out where unknown")),
  workspaceId: v.optional(text("Its workspace")),
  receiptsDir: text('The folder of its receipts; "" where there is none'),
  chain: receiptChain,
  results: list(statement, "What was run on the commit's tree"),
});

export type StatusLine = Printed<typeof statusLine>;
export type TasksLine = Printed<typeof tasksLine>;
export type HookStatusLine = Printed<typeof hookStatusLine>;
export type RecoverLine = Printed<typeof recoverLine>;
export type VerifyLine = Printed<typeof verifyLine>;
