import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  createHookFileStore,
  type HookFile,
  type HookFileStore,
  type HookInput,
  transition,
} from "@quasar/hookfile";
import { DEFAULT_AUTO_CHECKPOINTS } from "@quasar/hookfile/checkpoints";
import { taskFolder } from "@quasar/hookfile/folders";
import type { AgentInvoker } from "@quasar/agents";
import { createKeyManager, type KeyManager, listReceipts } from "@quasar/receipts";
import type { AgentWork } from "../src/runs/agent-work.ts";
import type { WorkOnStep } from "../src/steps/agent-work.ts";
import type { RunningStep, StepOutcome, TaskPorts } from "../src/steps/step.ts";
import { createValidationStep } from "../src/steps/validation.ts";
import type { TaskEvent } from "../src/task-event.ts";
import type { TaskRecord, ValidationCommand } from "../src/task-record.ts";
import { receiptsFolder } from "../src/validation/folder.ts";
import { TASK_ID } from "./task-id.ts";

/** A task whose only step is a validation, in a repository of its own. */
export interface Scene {
  readonly root: string;
  readonly home: string;
  readonly taskDir: string;
  readonly worktree: string;
  readonly keysDir: string;
  readonly store: HookFileStore;
  keys: KeyManager;
  /** By what the task is validated; may be changed. */
  commands: readonly ValidationCommand[];
  timeoutMs: number;
  maxFixes: number;
  /** The agent that fixes. */
  workOnStep: WorkOnStep;
  readonly asked: AgentWork[];
  readonly events: TaskEvent[];
  readonly notes: string[];
  readonly task: () => TaskRecord;
  readonly input: (change?: Partial<RunningStep>) => RunningStep;
  readonly happen: (...inputs: HookInput[]) => HookFile;
  /** Starts the step as the engine does, and runs it. */
  readonly run: (change?: Partial<RunningStep>) => Promise<StepOutcome>;
  /** Runs it where it was started already. */
  readonly again: (change?: Partial<RunningStep>) => Promise<StepOutcome>;
  /** Records what came of it as the engine does. */
  readonly end: (outcome: StepOutcome) => HookFile;
  readonly look: () => ReturnType<NonNullable<ReturnType<typeof createValidationStep>["look"]>>;
  /** The commands that were run, by their names: what `ran` of a command writes. */
  readonly ran: () => readonly string[];
  readonly receipts: () => ReturnType<typeof listReceipts>;
  readonly remove: () => void;
}

/** A command that tells that it was run, and then does something. */
export function telling(
  scene: Pick<Scene, "root">,
  name: string,
  then = "true",
): ValidationCommand {
  return { name, command: `echo ${name} >> '${join(scene.root, "ran")}'; ${then}` };
}

const nobody: AgentInvoker = {
  name: "nobody",
  capabilities: {
    structuredOutput: false,
    choosesSessionId: false,
    reportsCost: false,
    streamsUsage: false,
    resumesSession: false,
  },
  invoke: () => Promise.reject(new Error("no agent is to be asked")),
};

/** The task of these tests. */
export const TASK = { taskId: TASK_ID, workspaceId: "ws" };

export function aScene(root: string = newRoot()): Scene {
  const home = join(root, "home");
  const taskDir = taskFolder(home, TASK.workspaceId, TASK.taskId);
  const worktree = join(root, "tree");
  const store = createHookFileStore({ dir: taskDir });
  if (!existsSync(worktree)) {
    aRepository(worktree);
    store.create({
      ...TASK,
      title: "Fix it",
      description: "Fix it",
      template: "bugfix",
      branch: "main",
      worktreePath: worktree,
      repoPath: worktree,
      keyIndex: 0,
      steps: [
        { name: "validate", type: "validation" },
        { name: "review", type: "human" },
      ],
    });
    change(store, { type: "setup_complete" });
  }
  const keysDir = join(home, "keys");
  const scene: Scene = {
    ...{ root, home, taskDir, worktree, keysDir, store },
    keys: createKeyManager({ dir: keysDir }),
    commands: [telling({ root }, "test")],
    timeoutMs: 60_000,
    maxFixes: 0,
    workOnStep: () => Promise.reject(new Error("no agent is to be asked")),
    asked: [],
    events: [],
    notes: [],
    task: () => taskOf(scene),
    input: (change) => inputOf(scene, change),
    happen: (...inputs) => change(store, ...inputs),
    run: (changes) => {
      change(store, { type: "start_step", prompt: "" }, { type: "step_output" });
      return executorOf(scene).run(inputOf(scene, changes));
    },
    again: (changes) => executorOf(scene).run(inputOf(scene, changes)),
    end: (outcome) => change(store, eventOf(outcome)),
    look: async () => executorOf(scene).look?.(inputOf(scene)),
    ran: () => linesOf(join(root, "ran")),
    receipts: () => listReceipts(receiptsFolder(taskDir)),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  return scene;
}

/** The same task in a folder of its own; its commands are the same to the letter. */
export function aCopyOf(scene: Scene): Scene {
  const root = newRoot();
  execFileSync("cp", ["-a", `${scene.root}/.`, root]); // with its modes: keys are for one user only
  return Object.assign(aScene(root), { commands: scene.commands });
}

function newRoot(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "validation-"));
}

function change(store: HookFileStore, ...inputs: HookInput[]): HookFile {
  return store.update((hook) => transition(hook, inputs, { now: new Date() }));
}

function eventOf(outcome: StepOutcome): HookInput {
  switch (outcome.kind) {
    case "completed":
      return { type: "validate_pass", receipts: outcome.receipts ?? [] };
    case "failed":
    case "awaiting": {
      const { reason, receipts = [] } = outcome;
      return { type: "validate_fail", reason, receipts };
    }
    case "stopped":
      throw new Error(`it was stopped: ${outcome.message}`);
  }
}

function executorOf(scene: Scene): ReturnType<typeof createValidationStep> {
  return createValidationStep({
    workOnStep: (input, work) => {
      scene.asked.push(work);
      return scene.workOnStep(input, work);
    },
  });
}

function inputOf(scene: Scene, changes: Partial<RunningStep> = {}): RunningStep {
  const { store, taskDir, worktree } = scene;
  const hook = store.open()?.hook;
  const [step] = hook?.steps ?? [];
  if (hook === undefined || step === undefined) throw new Error("there is no task");
  return {
    ...{ taskDir, worktree, hook, step },
    task: taskOf(scene),
    definition: {
      name: "validate",
      type: "validation",
      description: "",
      maxAttempts: 3,
      recovery: "retry",
    },
    ports: portsOf(scene),
    signal: new AbortController().signal,
    attempt: hook.currentStep?.attempt ?? 1,
    prompt: "",
    tell: (event) => scene.events.push(event),
    note: ({ lastOutput }) => {
      if (lastOutput !== undefined) scene.notes.push(lastOutput);
    },
    checkpoint: () => Promise.reject(new Error("a validation makes its checkpoint at its end")),
    attemptFailed: async (reason, receipts) => {
      change(store, { type: "attempt_failed", reason, receipts });
    },
    recordReceipts: () => {},
    ...changes,
  };
}

function portsOf({ home, keys }: Scene): TaskPorts {
  return {
    ...{ home, keys, coder: nobody, reviewer: nobody },
    env: process.env,
    now: () => new Date(),
    redact: (text) => text.replaceAll("s3cret", "[redacted]"),
    atlas: ["/bin/atlas"],
    version: "0.0.0",
  };
}

function taskOf(scene: Scene): TaskRecord {
  const { commands, timeoutMs, maxFixes, worktree } = scene;
  return {
    id: TASK.taskId,
    workspaceId: TASK.workspaceId,
    templateId: "bugfix",
    description: "Fix it",
    status: "running",
    currentStep: 0,
    steps: [],
    stepResults: [],
    transitions: [],
    createdAt: "2026-01-02T03:04:05.678Z",
    updatedAt: "2026-01-02T03:04:05.678Z",
    config: {
      ...{ agent: "", model: "", reviewer: "", reviewerModel: "", maxBudgetUsd: 0, maxCycles: 1 },
      validation: { commands, source: "config", timeoutMs, maxFixes },
      checkpoints: DEFAULT_AUTO_CHECKPOINTS,
      ...{ notify: "", gitHooks: "off", settings: {} },
    },
    template: [],
    metadata: {
      branch: "main",
      worktreeDir: worktree,
      isHere: false,
      repoPath: worktree,
      baseSha: "0".repeat(40),
      baseBranch: "main",
    },
    extra: {},
  };
}

let pattern: string | undefined;

function aRepository(dir: string): void {
  pattern ??= newRepository(mkdtempSync(join(tmpdir(), "repository-")));
  cpSync(pattern, dir, { recursive: true });
}

process.once("exit", () => {
  if (pattern !== undefined) rmSync(pattern, { recursive: true, force: true });
});

function newRepository(dir: string): string {
  put(dir, "code.txt", "good\n");
  put(dir, ".gitignore", "ignored\n");
  git(dir, "init", "-q", "-b", "main", "--template=");
  git(dir, "add", "-A");
  git(dir, "commit", "-qm", "first");
  return dir;
}

export function git(dir: string, ...args: string[]): string {
  const names = ["-c", "user.name=Somebody", "-c", "user.email=somebody@localhost"];
  return execFileSync("git", [...names, ...args], { cwd: dir, encoding: "utf8", stdio: "pipe" });
}

export function put(dir: string, path: string, content: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
}

export function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}
