import type { Lock } from "@quasar/durable";
import type { RepositoryFacts, SignalOptions } from "@quasar/git";
import type { ChangedFile } from "@quasar/git/history";
import type { HookFile, HookFileStore, HookFileStoreOptions, StepType } from "@quasar/hookfile";
import type { GitFacts } from "@quasar/hookfile/checkpoints";
import type { lookForPushes } from "@quasar/hookfile/git-hook";
import type { CrashFacts } from "@quasar/hookfile/recovery";
import type { KeyManager, TaskName, ValidationReceipt } from "@quasar/receipts";
import type { ControlsInput } from "../git-controls.ts";
import type { TaskAgents } from "../runs/task-agents.ts";
import type { StepExecutor, StepInput, TaskPorts } from "../steps/step.ts";
import type { TaskLog } from "../task-log.ts";
import type { TaskRecord } from "../task-record.ts";
import type { JudgedReceipts } from "../validation/receipt-chain.ts";
import type { OutcomesOptions } from "../validation/outcomes.ts";
import type { SetUpTaskOptions } from "../workspaces/set-up-task.ts";

/** What the engine is made of. The program has one set of parts; tests put doubles in. */
export interface EngineParts {
  readonly executors: Executors;
  /** What agents are asked in a step of theirs. */
  promptOf(input: StepInput): string;
  /** Makes or adopts the work tree and the branch; may be called again after a crash at any instant. */
  setUp(options: SetUpTaskOptions): Promise<void>;
  readonly files: TaskFiles;
  readonly workTreeReader: WorkTreeReader;
  readonly gitHook: GitHook;
  openStore(options: HookFileStoreOptions): HookFileStore;
  /** Moves the lock files aside that a git which is gone has left; for whoever has the lock. Resolves to words for a person. */
  freeGit(worktree: string): Promise<readonly string[]>;
  readonly controls: Controls;
  /** Takes the one lock of a work tree. @throws {TasksError} `ERR_LOCKED` */
  lockWorkTree(worktree: string, taskId: string): Promise<Lock>;
  /** Ends what the task's agents have left running; resolves to what does not end. */
  endAgents(taskDir: string): Promise<readonly TaskAgents[]>;
  readonly receipts: Receipts;
  /** Resolves to what went wrong, for a person. */
  notify(notice: Notice, ports: TaskPorts): Promise<string | undefined>;
  /** Calls when a note comes into a task's inbox, until what it returns is called. @default never */
  onNote?(taskDir: string, listener: () => void): () => void;
  /** Between two looks, and two periodic checkpoints. @default a timer */
  readonly wait?: Wait | undefined;
}

/** Resolves after that time, or rejects when the signal is aborted. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

/** Who does a step, by its type; a person does the others. */
export type Executors = Readonly<Record<Exclude<StepType, "human">, StepExecutor>>;

export interface Receipts {
  /** Those that were signed before a crash and that the hook file lacks. */
  missing(store: HookFileStore, taskDir: string, keys: KeyManager): readonly ValidationReceipt[];
  /** Takes into the kept head of a task's chain the receipts that a crash has left out of it. */
  recoverHead(taskDir: string, task: TaskName, keys: KeyManager): void;
  /** For HOOK.md. */
  judge(taskDir: string, hook: HookFile, keys: KeyManager): JudgedReceipts;
  /** What is known of a validation that a crash has cut off. */
  interrupted(options: OutcomesOptions & Pick<TaskPorts, "redact">): CrashFacts;
}

/** What controls git in a task's work tree, against how that was before anything of the task ran there. */
export interface Controls {
  /** Why nothing more is done with git there, for a person; `undefined` where it may be. */
  obstacle(input: ControlsInput): Promise<string | undefined>;
  /** What has changed, in words; `""`: nothing. */
  changed(input: ControlsInput): Promise<string>;
}

/** The task's files beside the hook file. */
export interface TaskFiles {
  read(taskDir: string): TaskRecord;
  write(taskDir: string, task: TaskRecord): void;
  saveArtifact(taskDir: string, path: string, text: string): string;
  readArtifact(taskDir: string, path: string): string | undefined;
  openLog(taskDir: string, ports: Pick<TaskPorts, "now" | "redact">): TaskLog;
}

/** How the engine sees a work tree. Looking changes nothing. */
export interface WorkTreeReader {
  facts(worktree: string, options: SignalOptions): Promise<GitFacts>;
  inspect(worktree: string, since: string, options: SignalOptions): Promise<RepositoryFacts>;
  readonly pushes: typeof lookForPushes;
  changedFiles(
    worktree: string,
    from: string,
    to: string,
    options: SignalOptions,
  ): Promise<readonly ChangedFile[]>;
  /** Work of the task that is ignored, in words; `""` where there is none. */
  ignored(worktree: string, task: TaskRecord, signal: AbortSignal): Promise<string>;
}

/** Each resolves to what a person should know. */
export interface GitHook {
  install(options: {
    readonly taskDir: string;
    readonly task: TaskRecord;
    readonly atlas: readonly string[];
    readonly signal: AbortSignal;
  }): Promise<string | undefined>;
  uninstall(options: {
    readonly taskDir: string;
    readonly task: TaskRecord;
  }): Promise<string | undefined>;
}

/** What a person is told who isn't looking. */
export interface Notice {
  /** A shell command; `""`: none. */
  readonly command: string;
  readonly worktree: string;
  readonly taskId: string;
  /** The state that the task has come to. */
  readonly event: HookFile["state"];
  readonly message: string;
}
