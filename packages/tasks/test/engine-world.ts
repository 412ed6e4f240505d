import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeFileSystem } from "@quasar/durable";
import type { RepositoryFacts } from "@quasar/git";
import {
  createHookFileStore,
  type HookFile,
  type HookInput,
  type StepType,
  transition,
} from "@quasar/hookfile";
import { DEFAULT_AUTO_CHECKPOINTS } from "@quasar/hookfile/checkpoints";
import type { ValidationReceipt } from "@quasar/receipts";
import { onTestFinished } from "vitest";
import { readArtifact, saveArtifact } from "../src/artifacts.ts";
import { createEngine, type DriveResult } from "../src/engine/drive.ts";
import type { EngineParts } from "../src/engine/parts.ts";
import { runName } from "../src/runs/step-runs.ts";
import type {
  RunningStep,
  Skip,
  StepExecutor,
  StepInput,
  StepOutcome,
  TaskPorts,
} from "../src/steps/step.ts";
import type { TaskEvent } from "../src/task-event.ts";
import { openTaskLog } from "../src/task-log.ts";
import type { TaskConfig, TaskRecord } from "../src/task-record.ts";
import { readTask, writeTask } from "../src/task-store.ts";
import type { JudgedReceipts } from "../src/validation/receipt-chain.ts";
import { resolveTemplate } from "../src/templates/resolve-template.ts";
import type { TemplateStep } from "../src/templates/template.ts";
import { fillTemplate } from "../src/templates/fill-template.ts";

/** The process was killed here: nothing that it would have done afterwards is done. */
export class Killed extends Error {
  override readonly name = "Killed";
}

export const CONFIG: TaskConfig = {
  agent: "scripted",
  model: "",
  reviewer: "scripted",
  reviewerModel: "",
  maxBudgetUsd: 0,
  maxCycles: 3,
  validation: { commands: [], source: "none", timeoutMs: 1000, maxFixes: 0 },
  checkpoints: { ...DEFAULT_AUTO_CHECKPOINTS, interval: 0 },
  notify: "",
  gitHooks: "off",
  settings: {},
};

/** What the doubles work on; what is in here outlives any crash, as the world outside a process does. */
export interface Outside {
  /** Everything that was done, oldest first: `commit Fix it`. */
  readonly effects: string[];
  readonly commits: { readonly sha: string; readonly subject: string }[];
  dirty: Set<string>;
  pushed: number;
  hasPullRequest: boolean;
  hasTree: boolean;
  /** Turns of agents that have ended, as they stand in `effects`. */
  readonly finished: Set<string>;
  /** Signed, by the number of commits that they are of. */
  readonly signed: { readonly receipt: ValidationReceipt; readonly tree: string }[];
  /** What the engine did with receipts at each start, in order. */
  readonly takenIn: ("head" | "hook file")[];
}

export interface World {
  readonly taskDir: string;
  readonly ports: TaskPorts;
  readonly outside: Outside;
  readonly events: TaskEvent[];
  readonly parts: EngineParts;
  /** Drives; rejects with {@link Killed} where it was to be killed. */
  drive(options?: { readonly signal?: AbortSignal }): Promise<DriveResult>;
  /** The bytes of all the task's files but its locks'. */
  bytes(): Readonly<Record<string, string>>;
  /** What a person, or another process, does. */
  happen(...inputs: readonly HookInput[]): HookFile;
  hook(): HookFile;
  task(): TaskRecord;
  /** Kills the process at the n-th point from here on, the first being 1. */
  killAt(point: number): void;
  /** The names of the points that were passed since the last `killAt`. */
  readonly points: string[];
}

export interface WorldOptions {
  readonly template?: string | readonly TemplateStep[];
  readonly config?: Partial<TaskConfig>;
  /** In the place of the doubles. */
  readonly executors?: Readonly<Record<string, Partial<StepExecutor>>>;
  readonly parts?: Partial<EngineParts>;
  readonly ports?: Partial<TaskPorts>;
}

const BASE = "b".repeat(40);
/** In memory where there is such a place: a crash of the process is tried here, not one of the machine. */
const FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A task that was created, and an engine whose executors only seem to do something. */
export function aWorld(options: WorldOptions = {}): World {
  const root = mkdtempSync(join(FOLDER, "quasar-engine-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const taskDir = join(root, "workspaces", "fix-it", "tasks", "task-1");
  const worktree = join(root, "tree");
  const outside: Outside = {
    effects: [],
    commits: [],
    dirty: new Set(),
    pushed: 0,
    hasPullRequest: false,
    hasTree: false,
    finished: new Set(),
    signed: [],
    takenIn: [],
  };
  const events: TaskEvent[] = [];
  const points: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  let clock = Date.parse("2026-01-02T03:04:05.000Z");
  const now = (): Date => new Date((clock += 1000));

  /** Where a crash may come. One who is dead passes no point. */
  const point = (name: string): void => {
    if (left <= 0) throw new Killed(name);
    points.push(name);
    left -= 1;
    if (left <= 0) throw new Killed(name);
  };
  const effect = (name: string, act: () => void = () => {}): void => {
    point(`before ${name}`);
    outside.effects.push(name);
    act();
    point(`after ${name}`);
  };
  const around = <T>(name: string, act: () => T): T => {
    point(`before ${name}`);
    const result = act();
    point(`after ${name}`);
    return result;
  };

  const ports: TaskPorts = {
    home: root,
    coder: never("coder"),
    reviewer: never("reviewer"),
    keys: never("keys"),
    env: {},
    now,
    redact: (text) => text.replaceAll("hunter2", "***"),
    atlas: ["/usr/bin/atlas"],
    version: "1.0.0",
    ...options.ports,
  };
  const openStore: EngineParts["openStore"] = (storing) => {
    // Every sync costs milliseconds, and a process that is killed does not lose what it has written.
    const fs = { ...nodeFileSystem, fsync() {} };
    const store = createHookFileStore({ ...storing, fs });
    return { ...store, update: (change) => around("update", () => store.update(change)) };
  };
  const doubles = executorDoubles({ outside, effect, now });
  /** Each step's own, else its action's, else its type's. */
  const doubled = (type: StepType): StepExecutor => {
    const of = ({ definition }: StepInput): StepExecutor => ({
      run: async () => ({ kind: "completed", summary: definition.name }),
      ...doubles[definition.action ?? type],
      ...options.executors?.[definition.name],
    });
    return {
      look: async (input) => of(input).look?.(input),
      run: (input) => of(input).run(input),
      probe: async (input) => of(input).probe?.(input) ?? { kind: "unknown", reason: "" },
    };
  };
  const parts: EngineParts = {
    executors: {
      ai: doubled("ai"),
      loop: doubled("loop"),
      validation: doubled("validation"),
      git: doubled("git"),
      verify: doubled("verify"),
      ci: doubled("ci"),
    },
    promptOf: ({ definition, step }) =>
      `${definition.prompt ?? ""}${step.feedback === undefined ? "" : `\n${step.feedback}`}`,
    async setUp() {
      if (!outside.hasTree) effect("work tree", () => (outside.hasTree = true));
    },
    files: {
      read: readTask,
      write: (dir, task) => around("task.json", () => writeTask(dir, task)),
      saveArtifact: (dir, path, text) => around("artifact", () => saveArtifact(dir, path, text)),
      readArtifact,
      openLog: openTaskLog,
    },
    workTreeReader: {
      facts: async () => ({
        branch: "fix/fix-it",
        commit: headOf(outside),
        dirty: outside.dirty.size > 0,
      }),
      inspect: async () => factsOf(outside),
      pushes: async () => ({ pushes: [], unseen: [], told: [] }),
      changedFiles: async () =>
        outside.commits.map(({ subject }) => ({ path: `${subject}.ts`, change: "new" })),
      ignored: async () => "",
    },
    gitHook: {
      install: async () => undefined,
      uninstall: async () => undefined,
    },
    openStore,
    freeGit: async () => [],
    controls: { obstacle: async () => undefined, changed: async () => "" },
    lockWorkTree: async () => ({
      path: "",
      owner: OWNER,
      isCurrent: () => true,
      retake: () => true,
      release() {},
    }),
    endAgents: async () => [],
    receipts: {
      recoverHead: () => void outside.takenIn.push("head"),
      missing: (store) => {
        outside.takenIn.push("hook file");
        const known = new Set([...store.receipts()].map(({ receiptId }) => receiptId));
        return outside.signed.flatMap(({ receipt }) =>
          known.has(receipt.receiptId) ? [] : [receipt],
        );
      },
      judge: () => NO_RECEIPTS,
      interrupted: () => ({ validationCmd: "pnpm test" }),
    },
    async notify({ event }) {
      effect(`notify ${event}`);
      return undefined;
    },
    wait: () => new Promise(() => {}),
    ...options.parts,
  };

  putDown({ taskDir, worktree, options, now });
  const drive = createEngine(parts);
  const plain = createHookFileStore({
    dir: taskDir,
    now,
    version: "1.0.0",
    fs: { ...nodeFileSystem, fsync() {} },
  });
  const read = (): HookFile => {
    const hook = plain.read();
    if (hook === undefined) throw new Error("there is no task");
    return hook;
  };
  return {
    taskDir,
    ports,
    outside,
    events,
    parts,
    points,
    drive: ({ signal = new AbortController().signal } = {}) =>
      drive({ taskDir, ports, signal, onEvent: (event) => events.push(event) }),
    happen: (...inputs) => plain.update((hook) => transition(hook, inputs, { now: now() })),
    hook: read,
    bytes: () => bytesBelow(taskDir),
    task: () => readTask(taskDir),
    killAt(point) {
      points.length = 0;
      left = point;
    },
  };
}

function bytesBelow(dir: string): Readonly<Record<string, string>> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.includes(".lock"));
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, "latin1")]));
}

const NO_RECEIPTS: JudgedReceipts = {
  receipts: [],
  verdicts: new Map(),
  statements: [],
  chain: { kind: "valid", problems: [], here: 0, signed: undefined, tail: "proved" },
};
const OWNER = { pid: process.pid, host: "here", startTime: undefined, bootId: undefined };

/** What a test must not come to use. */
function never(name: string): never {
  return new Proxy({} as never, {
    get(_, key) {
      throw new Error(`${name}.${String(key)} is not to be used`);
    },
  });
}

interface Putting {
  readonly taskDir: string;
  readonly worktree: string;
  readonly options: WorldOptions;
  readonly now: () => Date;
}

function putDown({ taskDir, worktree, options, now }: Putting): void {
  const { template: asked = "bugfix", config } = options;
  const input = { description: "Fix it", variables: {} };
  const template = typeof asked === "string" ? fillTemplate(resolveTemplate(asked), input) : asked;
  const at = now().toISOString();
  const ids = { workspaceId: "fix-it", description: "Fix it" };
  const store = createHookFileStore({ dir: taskDir, now });
  const task: TaskRecord = {
    ...ids,
    id: "task-1",
    templateId: "bugfix",
    status: "pending",
    currentStep: 0,
    steps: template.map(({ name, type }) => ({ name, type, status: "pending", attempts: 0 })),
    stepResults: [],
    transitions: [],
    createdAt: at,
    updatedAt: at,
    config: { ...CONFIG, ...config },
    template,
    metadata: {
      branch: "fix/fix-it",
      worktreeDir: worktree,
      isHere: false,
      repoPath: worktree,
      baseSha: BASE,
      baseBranch: "main",
    },
    extra: {},
  };
  store.create({
    ...ids,
    taskId: "task-1",
    title: "Fix it",
    template: "bugfix",
    branch: "fix/fix-it",
    worktreePath: worktree,
    repoPath: worktree,
    keyIndex: 0,
    steps: template.map(({ name, type, recovery, maxAttempts, onReject }) => {
      return { name, type, recovery, maxAttempts, ...(onReject !== undefined && { onReject }) };
    }),
  });
  writeTask(taskDir, task);
}

function headOf({ commits }: Outside): string {
  return commits.at(-1)?.sha ?? BASE;
}

function factsOf(outside: Outside): RepositoryFacts {
  const commits = outside.commits.map(({ sha, subject }, index) => ({
    sha,
    subject,
    parents: [outside.commits[index - 1]?.sha ?? BASE],
    trailers: new Map(),
  }));
  return {
    head: headOf(outside),
    branch: "fix/fix-it",
    isUnborn: false,
    isDetached: false,
    isBare: false,
    isShallow: false,
    operation: undefined,
    dirty: [...outside.dirty].map((path) => ({ path, status: "??" })),
    relation: commits.length === 0 ? "same" : "ahead",
    commits,
    actions: new Map(commits.map(({ sha }) => [sha, "commit"])),
  };
}

interface Doubling {
  readonly outside: Outside;
  readonly effect: (name: string, act?: () => void) => void;
  readonly now: () => Date;
}

function executorDoubles({
  outside,
  effect,
  now,
}: Doubling): Readonly<Record<string, StepExecutor>> {
  const commit = (subject: string): void => {
    if (outside.dirty.size === 0) return;
    const sha = String(outside.commits.length + 1).padStart(40, "0");
    effect(`commit ${subject}`, () => {
      outside.commits.push({ sha, subject });
      outside.dirty = new Set();
    });
  };
  /** As a run of agents: a turn that has ended is never asked for again. */
  const turn = (name: string, act?: () => void): void => {
    if (outside.finished.has(name)) return;
    effect(name, act);
    outside.finished.add(name);
  };
  const agent =
    (work: (run: string) => void) =>
    async (input: RunningStep): Promise<StepOutcome> => {
      const run = runName(input.hook, input.step.name);
      input.note({ workingOn: `${run} works`, lastOutput: `${run} says` });
      work(run);
      return { kind: "completed", summary: `${run} is done`, output: `all of ${run}` };
    };
  const found = (evidence: string): Skip => ({ reason: "it is done", evidence });
  return {
    ai: { run: agent((run) => turn(`turn ${run}`)) },
    loop: {
      run: agent((run) => {
        turn(`turn ${run}`, () => outside.dirty.add(`${run}.ts`));
        commit(run);
        turn(`review ${run}`);
      }),
    },
    validation: {
      async look() {
        const proof = outside.signed.find(({ tree }) => tree === headOf(outside));
        return proof && found(proof.receipt.receiptId);
      },
      async run({ step, attempt }) {
        effect(`validate ${outside.commits.length}`);
        const receipt = aReceipt(`rcpt-${outside.signed.length + 1}`, step.name, now());
        effect("sign", () => outside.signed.push({ receipt, tree: headOf(outside) }));
        const summary = `attempt ${attempt} has passed`;
        const checkpoint = { trigger: "validation", description: "It passed" } as const;
        return { kind: "completed", summary, receipts: [receipt], checkpoint };
      },
    },
    commit: {
      look: async () => (outside.dirty.size === 0 ? found(headOf(outside)) : undefined),
      async run({ step }) {
        commit(step.name);
        return { kind: "completed", summary: "committed" };
      },
      probe: async () =>
        outside.dirty.size === 0 ? { kind: "found", evidence: headOf(outside) } : MISSING,
    },
    push: {
      async run() {
        const { length } = outside.commits;
        if (outside.pushed !== length) effect("push", () => (outside.pushed = length));
        const checkpoint = { trigger: "git_push", description: "Push: origin/fix" } as const;
        return { kind: "completed", summary: "pushed", checkpoint };
      },
      probe: async () =>
        outside.pushed === outside.commits.length ? { kind: "found", evidence: "there" } : MISSING,
    },
    create_pr: {
      look: async () => (outside.hasPullRequest ? found("#1") : undefined),
      async run() {
        if (!outside.hasPullRequest) effect("pull request", () => (outside.hasPullRequest = true));
        const checkpoint = { trigger: "pr_created", description: "#1" } as const;
        return { kind: "completed", summary: "#1", checkpoint };
      },
      probe: async () => (outside.hasPullRequest ? { kind: "found", evidence: "#1" } : MISSING),
    },
  };
}

const MISSING = { kind: "missing" } as const;

export function aReceipt(receiptId: string, stepName: string, at: Date): ValidationReceipt {
  return {
    receiptId,
    stepName,
    command: "pnpm test",
    exitCode: 0,
    startedAt: at.toISOString(),
    completedAt: at.toISOString(),
    duration: "1s",
    stdoutHash: "a".repeat(64),
    stderrHash: "b".repeat(64),
    signature: "c".repeat(128),
    keyPath: "m/44'/236'/0'/0'/0'",
    keyId: "0123456789abcdef",
    sigAlg: "ed25519-slip10",
    sigVersion: 2,
  };
}

export function steps(...types: readonly StepType[]): readonly TemplateStep[] {
  return types.map((type, index) => ({
    name: `${type}_${index + 1}`,
    type,
    description: `Do ${type}`,
    maxAttempts: 1,
    recovery: type === "human" ? "manual" : type === "git" ? "reconcile" : "retry",
  }));
}
