import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
import type { KeyManager } from "@quasar/receipts";
import { assignRun } from "../src/runs/step-runs.ts";
import type { RunningStep, StepProgress } from "../src/steps/step.ts";
import type { TaskEvent } from "../src/task-event.ts";
import type { TaskConfig, TaskRecord } from "../src/task-record.ts";
import type { TemplateStep } from "../src/templates/template.ts";
import { TASK_ID } from "./task-id.ts";

/** A task in folders of its own, with a repository that has one commit. */
export interface StepFixture {
  readonly dir: string;
  readonly home: string;
  readonly taskDir: string;
  readonly worktree: string;
}

const BRANCH = "fix/null-pointer";

export const STEPS: readonly TemplateStep[] = [
  aStep({ name: "analyze", type: "ai", prompt: "Find out why it fails." }),
  aStep({ name: "implement", type: "loop", prompt: "Fix it.", maxAttempts: 3 }),
  aStep({ name: "review", type: "human" }),
];

function aStep(change: Pick<TemplateStep, "name" | "type"> & Partial<TemplateStep>): TemplateStep {
  const recovery = change.type === "human" ? "manual" : "retry";
  return { description: change.name, maxAttempts: 1, recovery, ...change };
}

/** A repository with one commit: made once, and copied. */
let template: string | undefined;
process.on("exit", () => {
  if (template !== undefined) rmSync(template, { recursive: true, force: true });
});

function makeTemplate(): string {
  const worktree = mkdtempSync(join(tmpdir(), "quasar-step-template-"));
  git(worktree, "init", "-q", "-b", BRANCH);
  git(worktree, "config", "user.name", "A");
  git(worktree, "config", "user.email", "a@example.invalid");
  writeFileSync(join(worktree, "README"), "a project\n");
  git(worktree, "add", "-A");
  git(worktree, "commit", "-q", "-m", "first");
  return worktree;
}

export function createFixture(): StepFixture {
  const dir = mkdtempSync(join(tmpdir(), "quasar-step-"));
  const home = join(dir, "home");
  const taskDir = taskFolder(home, "null-pointer", TASK_ID);
  const worktree = join(dir, "tree");
  template ??= makeTemplate();
  cpSync(template, worktree, { recursive: true });
  const fixture = { dir, home, taskDir, worktree };
  storeOf(fixture).create({
    taskId: TASK_ID,
    workspaceId: "null-pointer",
    title: "fix null pointer",
    description: "fix null pointer",
    template: "bugfix",
    branch: BRANCH,
    worktreePath: worktree,
    repoPath: join(dir, "repo"),
    keyIndex: 0,
    steps: STEPS.map(({ name, type, maxAttempts }) => ({ name, type, maxAttempts })),
  });
  happen(fixture, { type: "setup_complete" });
  return fixture;
}

export function removeFixture({ dir }: StepFixture): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

export function git(worktree: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", worktree, ...args], { encoding: "utf8" });
}

export function storeOf({ taskDir }: StepFixture): HookFileStore {
  return createHookFileStore({ dir: taskDir });
}

export function happen(fixture: StepFixture, ...inputs: readonly HookInput[]): HookFile {
  return storeOf(fixture).update((hook) => transition(hook, inputs, { now: new Date() }));
}

/** Starts the next step as the engine does, with its run. */
export function start(fixture: StepFixture, name: string): HookFile {
  return storeOf(fixture).update((hook) =>
    transition(assignRun(hook, name), [{ type: "start_step" }], { now: new Date() }),
  );
}

/** What follows a crash in a step: it is started again. */
export function startAgain(fixture: StepFixture, name: string): HookFile {
  const hook = storeOf(fixture).read();
  if (hook?.state !== "step_running") return start(fixture, name);
  const recovery = {
    detectedAt: new Date().toISOString(),
    crashType: "signal",
    lastKnownState: "step_running",
    wasValidating: false,
    recommendedAction: "retry_step",
    reason: "it may be repeated",
  } as const;
  happen(fixture, { type: "crash_detected", recovery }, { type: "retry_step" });
  return start(fixture, name);
}

export function aRecord(
  { worktree, dir }: StepFixture,
  change: Partial<Omit<TaskRecord, "config">> & { readonly config?: Partial<TaskConfig> } = {},
): TaskRecord {
  const { config, ...others } = change;
  const at = "2026-01-02T03:04:05.000Z";
  return {
    id: TASK_ID,
    workspaceId: "null-pointer",
    templateId: "bugfix",
    description: "fix null pointer",
    status: "running",
    currentStep: 0,
    steps: [],
    stepResults: [],
    transitions: [],
    createdAt: at,
    updatedAt: at,
    template: STEPS,
    metadata: {
      branch: BRANCH,
      worktreeDir: worktree,
      isHere: false,
      repoPath: join(dir, "repo"),
      baseSha: git(worktree, "rev-list", "--max-parents=0", "HEAD").trim(),
      baseBranch: "main",
    },
    extra: {},
    ...others,
    config: {
      agent: "scripted",
      model: "",
      reviewer: "scripted",
      reviewerModel: "",
      maxBudgetUsd: 5,
      maxCycles: 3,
      validation: { commands: [], source: "none", timeoutMs: 1000, maxFixes: 0 },
      checkpoints: DEFAULT_AUTO_CHECKPOINTS,
      notify: "",
      gitHooks: "off",
      settings: {},
      ...config,
    },
  };
}

export interface Agents {
  readonly coder: AgentInvoker;
  readonly reviewer: AgentInvoker;
}

export interface Working {
  readonly input: RunningStep;
  readonly events: TaskEvent[];
  readonly notes: StepProgress[];
}

/** The step that is running, as the engine hands it to its executor. */
export function working(
  fixture: StepFixture,
  agents: Agents,
  change: Partial<RunningStep> & { readonly leash?: boolean } = {},
): Working {
  const { leash, ...others } = change;
  const hook = storeOf(fixture).read();
  const name = hook?.currentStep?.stepName;
  const step = hook?.steps.find((each) => each.name === name);
  const definition = STEPS.find((each) => each.name === name);
  if (hook === undefined || step === undefined || definition === undefined) {
    throw new Error("no step is running");
  }
  const events: TaskEvent[] = [];
  const notes: StepProgress[] = [];
  const input: RunningStep = {
    taskDir: fixture.taskDir,
    task: aRecord(fixture),
    hook,
    step,
    definition,
    worktree: fixture.worktree,
    attempt: hook.currentStep?.attempt ?? 1,
    prompt: definition.prompt ?? "",
    signal: new AbortController().signal,
    tell: (event) => void events.push(event),
    note: (progress) => void notes.push(progress),
    checkpoint: async () => undefined,
    attemptFailed: async () => undefined,
    recordReceipts: () => {},
    ports: {
      home: fixture.home,
      ...agents,
      keys: { head: () => undefined } as unknown as KeyManager,
      env: process.env,
      now: () => new Date(),
      redact: (text) => text,
      sealKey: Buffer.alloc(32, 7),
      leash,
      atlas: [process.execPath],
      version: "0.0.0",
    },
    ...others,
  };
  return { input, events, notes };
}

/** The commits of the branch after the first, oldest first: subject and trailers. */
export function commits({ worktree }: StepFixture): readonly string[] {
  const log = git(
    worktree,
    "log",
    "--reverse",
    "--skip=0",
    "--format=%s|%(trailers:key=Quasar-Turn,valueonly,separator=%x2C)",
  );
  return log.trim().split("\n").slice(1);
}

export function textOf(fixture: StepFixture, path: string): string | undefined {
  const file = join(fixture.worktree, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
