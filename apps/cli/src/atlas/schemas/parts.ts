import { HOOK_STATES, type StepRecord, type StepType } from "@quasar/hookfile";
import { CHECKPOINT_TRIGGERS } from "@quasar/hookfile/checkpoints";
import { REVIEW_GAPS } from "@quasar/tasks/operations";
import { STEP_STATUSES, TASK_STATUSES } from "@quasar/tasks/record";
import * as v from "valibot";
import {
  flag,
  list,
  milliseconds,
  object,
  record,
  sha,
  text,
  texts,
  time,
  usd,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import { endedTurn } from "../../shared/schemas/turn.ts";

// Parts of lines. Each is a definition, by its name here, in the files that use it.

export const hookState = word(HOOK_STATES, "Where the task is");

const STEP_TYPES = [
  "ai",
  "loop",
  "validation",
  "git",
  "human",
  "verify",
  "ci",
] as const satisfies readonly StepType[];

const RECOVERIES = [
  "retry",
  "reconcile",
  "manual",
] as const satisfies readonly StepRecord["recovery"][];

export const stepType = word(STEP_TYPES, "Of which kind the step is");

export const stepRecovery = word(
  RECOVERIES,
  "How an interrupted step is resumed. reconcile: after a look at what it has done. manual: a person says how",
);

export const found = word(
  ["none", "running", "waiting", "crashed"],
  "none: it has ended. running: somebody drives it. waiting: it is between steps, or waits for a person",
);

const fileSnapshot = object(
  {
    path: text("From the root of the work tree"),
    sha256: text('Of its content; "" where there is none'),
    sizeBytes: whole("Bytes"),
    modifiedAt: time("When it was changed"),
    exists: flag("Whether it is there"),
  },
  "A file as it was",
);

export const stepCheckpoint = object(
  {
    checkpointId: text("Its id"),
    createdAt: time("When it was made"),
    description: text("What was reached"),
    trigger: word(CHECKPOINT_TRIGGERS, "What made it"),
    index: v.pipe(v.number(), v.integer(), v.description("From 0; -1: before the first step")),
    step: text('The step; "" before the first one'),
    branch: text("The branch"),
    headSha: v.optional(text("HEAD")),
    isDirty: flag("Whether there were uncommitted changes"),
    filesSnapshot: v.optional(list(fileSnapshot, "Files that the step touched")),
    artifacts: v.optional(texts("Files that belong to it")),
  },
  "A mark of what was reached",
);

const touchedFile = object(
  {
    path: text("From the root of the work tree"),
    change: word(["new", "modified", "deleted"], "What has become of it"),
    committed: flag("Whether that is committed"),
  },
  "A file that a step changed",
);

export const stepContext = object(
  {
    index: whole("From 0"),
    step: text("Its name"),
    prompt: text("What its agent gets"),
    startedAt: time("When it began"),
    attempt: whole("From 1"),
    maxAttempts: whole("How many it may have"),
    workingOn: v.optional(text("What it is at")),
    lastOutput: v.optional(text("The end of what it printed")),
    filesTouched: v.optional(texts("Paths that it changed")),
    fileChanges: v.optional(list(touchedFile, "What has become of them")),
    currentCheckpointId: v.optional(text("The newest checkpoint")),
  },
  "The step that is worked on",
);

export const stepRecord = object(
  {
    name: text("Its name"),
    type: stepType,
    onCrash: stepRecovery,
    maxAttempts: whole("How many it may have"),
    status: word(
      ["pending", "running", "completed", "skipped", "failed", "rework"],
      "rework: a person rejected what came of it, and it is done again",
    ),
    attempts: whole("How many it had"),
    startedAt: v.optional(time("When it began")),
    completedAt: v.optional(time("When it ended")),
    durationMs: v.optional(milliseconds("How long it took")),
    onReject: v.optional(text("The step to which a rejection goes back")),
    feedback: v.optional(text("What a person said when it was rejected")),
    note: v.optional(text("Why it failed or was skipped")),
    receiptIds: texts("Receipts of its commands"),
  },
  "A step of the template, and what has become of it",
);

export const awaiting = object(
  {
    kind: word(
      ["review", "validation", "git", "ci", "interrupted", "attempts"],
      "What a person has to decide",
    ),
    reason: text("For a person"),
  },
  "A person's decision that the task waits for",
);

export const recovery = object(
  {
    crashType: word(["timeout", "signal", "unknown"], "How it was interrupted"),
    detectedAt: time("When that was noticed"),
    lastKnownState: hookState,
    lastCheckpointId: v.optional(text("The newest checkpoint")),
    wasValidating: flag("Whether a validation command ran"),
    validationCommand: v.optional(text("That command")),
    partialOutput: v.optional(text("What it had printed")),
    recommendedAction: word(
      ["retry_step", "retry_validation", "skip_step", "manual", "await_human"],
      "What is best to do",
    ),
    reason: text("Why"),
  },
  "What a crash has left",
);

export const receipt = object(
  {
    receiptId: text("Its id"),
    step: text("The step"),
    command: text("What was run"),
    exitCode: v.pipe(v.number(), v.integer(), v.description("Of the command")),
    startedAt: time("When it began"),
    completedAt: time("When it ended"),
    durationText: text("How long it took, in words"),
    stdoutSha256: text("Of its output"),
    stderrSha256: text("Of its output"),
    keyId: text("The key that signed it"),
    keyPath: text("How that key is derived"),
    sigAlg: text("How it was signed"),
    sigVersion: whole("What the signature covers"),
    signature: text("Hex digits"),
  },
  "Signed evidence that a command ran",
);

const output = word(
  ["matches", "modified", "missing", "unchecked"],
  "What has become of what the command printed",
);

export const verdict = v.pipe(
  v.union([
    v.object({
      kind: v.literal("valid"),
      coverage: word(["full", "partial"], "Whether the signature covers all of it"),
      output,
    }),
    v.object({ kind: v.literal("invalid"), reason: text("Why"), output }),
    v.object({
      kind: v.literal("unverifiable"),
      reason: text("Why"),
      signedBy: text("The key that it names"),
      keyIds: texts("The keys that are here"),
      output,
    }),
  ]),
  v.description("Whether a receipt is what was signed"),
);

export const receiptChain = object(
  {
    kind: word(["valid", "invalid", "unverifiable"], "Whether the receipts are all there"),
    reasons: texts("Why they are not, or why that cannot be said"),
    here: whole("How many are here"),
    signed: v.optional(whole("How many were signed; left out where unknown")),
    tail: word(["proved", "unproved"], "unproved: newer ones could be missing"),
  },
  "The receipts of a task, one after the other",
);

export const quarantinedFile = object(
  {
    path: text("Where it is kept"),
    foundAt: time("When it was found"),
  },
  "A hook.json that something other than atlas has changed",
);

export const problem = object(
  {
    code: word(["damaged_hook", "torn_history", "damaged_history"], "What it is, for a program"),
    message: text("What it is, for a person"),
  },
  "Something that was repaired, or could not be",
);

export const owner = object(
  {
    pid: whole("The process"),
    startTicks: v.optional(
      v.pipe(v.number(), v.description("When it was started, for the system")),
    ),
    bootId: v.optional(text("Of the boot that it was started in")),
    host: text("The machine that it runs on"),
    runId: text("Its id"),
  },
  "Who drives the task",
);

export const hookEvent = object(
  {
    time: time("When"),
    trigger: text("What happened"),
    fromState: text("The state before"),
    toState: hookState,
    step: v.optional(text("The step")),
    data: v.optional(record(v.unknown(), "More about it")),
  },
  "A change of a task's state",
);

export const counts = object(
  {
    eventCount: whole("All"),
    receiptCount: whole("All"),
    checkpointCount: whole("All"),
  },
  "How many there are, with older ones",
);

export const hook = object(
  {
    version: text("Of the file's form"),
    revision: whole("Counts its changes"),
    taskId: text("The task"),
    workspaceId: text("Its workspace"),
    title: text("The first line of its description"),
    description: text("In words"),
    template: text("By its id"),
    branch: text("The task's branch"),
    repoPath: text("The repository"),
    workTree: text("The work tree"),
    state: hookState,
    steps: list(stepRecord, "In their order"),
    currentStep: v.optional(stepContext),
    awaiting: v.optional(awaiting),
    recovery: v.optional(recovery),
    history: list(hookEvent, "The newest ones"),
    checkpoints: list(stepCheckpoint, "The newest ones"),
    receipts: list(receipt, "The newest ones"),
    counts,
    createdAt: time("When the task began"),
    updatedAt: time("When it changed last"),
    keyIndex: whole("Of its keys"),
    owner: v.optional(owner),
    head: v.optional(
      object(
        {
          fileNumber: whole("Of its file"),
          record: whole("In it"),
          sha256: text("Of the record"),
        },
        "Where the history ends",
      ),
    ),
    stepBase: v.optional(
      object(
        {
          step: text("The step"),
          headSha: text("HEAD when it began"),
          uncommitted: v.optional(texts("Paths that were not committed then")),
        },
        "Where the work tree was when the step began",
      ),
    ),
    stepRuns: v.optional(record(whole("A number"), "How many runs each step had")),
    endedRuns: v.optional(record(whole("A number"), "How many of them have ended")),
    extra: record(v.unknown(), "What else the file holds"),
  },
  "hook.json: where a task is",
);

export const templateStep = object(
  {
    name: text("Its name"),
    type: stepType,
    description: text("What it does"),
    prompt: v.optional(text("What its agent or a person gets")),
    maxAttempts: whole("How many it may have"),
    onCrash: stepRecovery,
    action: v.optional(word(["commit", "push", "create_pr"], "What a step of git does")),
    access: v.optional(word(["read", "write"], "What its agent may do in the work tree")),
    onReject: v.optional(text("The step to which a rejection goes back")),
    timeoutMs: v.optional(milliseconds("How long it may take")),
  },
  "A step of a template",
);

export const template = object(
  {
    id: text("Its name"),
    aliases: texts("Its other names"),
    description: text("What it is for"),
    branchPrefix: text("How branches of its tasks begin"),
    isHere: v.optional(flag("Whether its tasks work in the work tree where they are started")),
    steps: list(templateStep, "In their order"),
    variables: record(
      v.object({
        description: text("What it is"),
        default: v.optional(text("Left out: it has to be given")),
      }),
      "By their names",
    ),
  },
  "The steps that a task goes through",
);

const stepStatus = word(STEP_STATUSES, "How it stands");
const taskStatus = word(TASK_STATUSES, "How the task stands, in the words of task.json");

export const stepResult = object(
  {
    index: whole("From 0"),
    step: text("Its name"),
    attempt: whole("From 1"),
    status: stepStatus,
    startedAt: time("When it began"),
    completedAt: time("When it ended"),
    durationMs: milliseconds("How long it took"),
    output: text("What came of it"),
    filesChanged: texts("Paths"),
    artifactPath: v.optional(text("A file with what came of it")),
    sessionId: v.optional(text("The agent's own name for its conversation")),
    numTurns: v.optional(whole("How many turns agents had")),
    costUsd: v.optional(usd("What it cost")),
    data: record(v.unknown(), "More about it"),
  },
  "What came of an attempt of a step",
);

export const task = object(
  {
    taskId: text("The task"),
    workspaceId: text("Its workspace"),
    description: text("In words"),
    template: text("By its id"),
    templateSteps: list(templateStep, "Its steps, as they were when the task began"),
    status: taskStatus,
    currentIndex: v.pipe(v.number(), v.integer(), v.description("Of its step, from 0")),
    steps: list(
      v.object({
        name: text("Its name"),
        type: stepType,
        status: stepStatus,
        startedAt: v.optional(time("When it began")),
        completedAt: v.optional(time("When it ended")),
        attempts: whole("How many it had"),
      }),
      "In their order",
    ),
    stepResults: list(stepResult, "Oldest first"),
    transitions: list(
      v.object({
        fromStatus: taskStatus,
        toStatus: taskStatus,
        time: time("When"),
        reason: text("Why"),
      }),
      "Oldest first",
    ),
    config: object(
      {
        coder: text("The agent's name"),
        coderModel: text("Its model"),
        reviewer: text("The agent's name"),
        reviewerModel: text("Its model"),
        maxCycles: whole("How many a step may have"),
        maxBudgetUsd: usd("The limit; 0: none"),
        gitHooks: word(["auto", "print", "off"], "Whether git reports commits to the task"),
        notify: text("What is run when a person is needed"),
        validation: v.object({
          commands: list(
            v.object({ name: text("For people"), command: text("What is run") }),
            "In their order",
          ),
          maxFixes: whole("How often an agent may fix what they find"),
          source: word(["config", "package.json", "none"], "Who says so"),
          timeoutMs: milliseconds("How long one may take"),
        }),
        autoCheckpoints: v.object({
          intervalMs: milliseconds("Between two; 0: never"),
          onCommit: flag("Whether one is made then"),
          onPush: flag("Whether one is made then"),
          onPr: flag("Whether one is made then"),
          onValidation: flag("Whether one is made then"),
          onStepComplete: flag("Whether one is made then"),
        }),
        otherSettings: record(v.unknown(), "The other settings, by their keys"),
      },
      "The task's settings",
    ),
    metadata: object(
      {
        repoPath: text("The repository"),
        workTree: text("The work tree"),
        branch: text("The task's branch"),
        baseBranch: text("The branch from which it began"),
        baseSha: text("The commit from which it began"),
        isHere: flag("Whether the work tree was there before the task"),
        fromTask: v.optional(text("The task that it continues")),
        context: v.optional(text("What that one left")),
      },
      "Where it works",
    ),
    createdAt: time("When it began"),
    updatedAt: time("When it changed last"),
    extra: record(v.unknown(), "What else the file holds"),
  },
  "task.json: a task's template, settings and results",
);

export const taskCost = object(
  {
    spentUsd: usd("What counts"),
    unknownUsd: usd("The part of it that was spent at most"),
    runs: list(
      v.object({
        name: text("Of the run"),
        isFinished: flag("Whether it has ended"),
        spentUsd: usd("What counts"),
        unknownUsd: usd("The part of it that was spent at most"),
        openUsd: usd("What is reserved for a turn whose end is not known"),
        turns: list(endedTurn, "Oldest first"),
      }),
      "One for each time that agents worked in a step",
    ),
    warnings: texts("What could not be read"),
  },
  "What the task has cost",
);

export const reviewGap = object(
  { kind: word(REVIEW_GAPS, "For a program"), message: text("For a person") },
  "Something that is not validated, committed or pushed of what is reviewed",
);

export const statement = object(
  {
    receiptId: text("The receipt"),
    taskId: text("The task"),
    workspaceId: text("Its workspace"),
    step: text("The step"),
    attempt: whole("From 1"),
    command: text("What was run"),
    argv: texts("As it was started"),
    exitCode: v.pipe(v.number(), v.integer(), v.description("Of the command")),
    signal: v.optional(text("What ended it")),
    startedAt: time("When it began"),
    completedAt: time("When it ended"),
    durationMs: milliseconds("How long it took"),
    configSha256: text("Of the validation's settings"),
    commitBefore: v.optional(text("HEAD before it")),
    commitAfter: v.optional(text("HEAD after it")),
    treeBefore: v.optional(text("Git's tree of what was there before it")),
    treeAfter: v.optional(text("Git's tree of what was there after it")),
    keyPath: text("How the key is derived that signed it"),
    sequence: whole("Its place in the chain"),
    previousSha256: text("Of the receipt before it"),
    receiptCertificateSha256: text("Of the key's certificate"),
    taskCertificateSha256: text("Of the certificate of the task's key"),
    stdoutBytes: whole("How many bytes it printed"),
    stdoutSha256: text("Of what it printed"),
    stderrBytes: whole("How many bytes it printed"),
    stderrSha256: text("Of what it printed"),
  },
  "What was signed",
);

export const commit = object(
  {
    sha: sha("The commit"),
    tree: text("Its tree"),
    taskId: v.optional(text("The task that it names")),
    head: v.optional(
      object(
        { count: whole("How many receipts"), sha256: text("Of the last one") },
        "The newest receipt that it names",
      ),
    ),
  },
  "A commit, and the receipts that it names",
);
