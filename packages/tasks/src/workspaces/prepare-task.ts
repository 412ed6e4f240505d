import { randomUUID } from "node:crypto";
import { dirtyPaths, openRepository } from "@quasar/git";
import { createHookFileStore, type HookFile, type NewTask } from "@quasar/hookfile";
import { taskFolder } from "@quasar/hookfile/folders";
import type { KeyManager } from "@quasar/receipts";
import { messageOf, TasksError } from "../errors.ts";
import { syncTask } from "../sync-task.ts";
import type { TaskConfig, TaskRecord } from "../task-record.ts";
import { writeTask } from "../task-store.ts";
import { fillTemplate } from "../templates/fill-template.ts";
import type { Template, TemplateStep } from "../templates/template.ts";
import { outgoing } from "../outgoing.ts";
import { findBase } from "./base.ts";
import { workspaceNameOf } from "./names.ts";
import { type Place, placeAfter, placeApart, placeHere } from "./place.ts";
import { whileNothingStarts } from "./start-lock.ts";
import type { Workspace } from "./workspace.ts";
import { workspaceDir, writeWorkspace } from "./workspace-store.ts";

export interface PrepareTaskOptions {
  /** ATLAS_HOME, absolute. */
  readonly home: string;
  /** Any folder of the work tree that it is started from. */
  readonly cwd: string;
  /** May be empty with `fromTask`: then it is that one's. */
  readonly description: string;
  /** Of `resolveTemplate`. */
  readonly template: Template;
  readonly variables: Readonly<Record<string, string>>;
  /** @default made of the description */
  readonly workspaceName?: string | undefined;
  /** Takes secrets out of the description before a name is made of it. @default nothing is taken out */
  readonly redact?: ((text: string) => string) | undefined;
  /** Works in the work tree of `cwd`, on its branch. @default as the template says */
  readonly here?: boolean | undefined;
  /** With `here`: what is uncommitted there counts as the task's. @default false, but for a template that says `here` */
  readonly acceptDirty?: boolean | undefined;
  /** Begins at the base branch as it is here, without fetching it. @default false */
  readonly useLocal?: boolean | undefined;
  /** The branch that the task's begins at and its pull request goes to. @default the one of `cwd` */
  readonly base?: string | undefined;
  /** Id of a task that has ended: its workspace and branch are resumed. */
  readonly fromTask?: string | undefined;
  readonly config: TaskConfig;
  readonly keys: KeyManager;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
  readonly onWarning: (message: string) => void;
  /** Of `atlas`, for HOOK.md's footer. */
  readonly version?: string | undefined;
}

/** A task that is there, and whose work tree is not made yet: it is `initializing`. */
export interface PreparedTask {
  readonly taskDir: string;
  readonly task: TaskRecord;
  readonly hook: HookFile;
}

/**
 * Puts a new task down: workspace.json, task.json, and last the hook file; before that one there is no
 * task. Makes no branch and no work tree: {@link setUpTask} does.
 *
 * @throws {TasksError} `ERR_TEMPLATE`; `ERR_UNSAFE_ID`; `ERR_NOT_FOUND` for the base or `fromTask`;
 *   `ERR_ACTIVE`; `ERR_DIRTY`; `ERR_LOCKED`; `ERR_NOT_CREATED`, "creating hook: …". {@link GitError}
 *   `ERR_NOT_A_REPOSITORY` …
 */
export async function prepareTask(options: PrepareTaskOptions): Promise<PreparedTask> {
  const { home, cwd, template, variables, fromTask, signal } = options;
  const repository = await openRepository(cwd, { signal });
  const isHere = options.here ?? template.here ?? false;
  const base = isHere || fromTask !== undefined ? undefined : await findBase(repository, options);
  if (base !== undefined) await tellOfUncommitted(repository.root, options);
  return whileNothingStarts({ home, signal }, async () => {
    const now = options.now();
    const shared = { home, repository, now, signal, onWarning: options.onWarning };
    const after = fromTask === undefined ? undefined : await placeAfter(shared, fromTask);
    const description = options.description.trim() || (after?.before.description ?? "");
    if (description === "") throw new TasksError("ERR_TEMPLATE", "the task has no description");
    const steps = fillTemplate(template, { description, variables });
    const { redact = (text) => text } = options;
    const named = outgoing({ redact }, repository.root)(description);
    const name = options.workspaceName ?? workspaceNameOf(named, now);
    const place =
      after ??
      (base === undefined
        ? await placeHere({
            ...shared,
            name,
            base: options.base,
            acceptDirty: acceptsDirty(options),
          })
        : await placeApart({ ...shared, name, base, branchPrefix: template.branchPrefix }));
    return putDown(options, { place, description, steps, now });
  });
}

async function tellOfUncommitted(
  root: string,
  { signal, onWarning }: PrepareTaskOptions,
): Promise<void> {
  if ((await dirtyPaths(root, { signal })).length === 0) return;
  onWarning(`what is uncommitted in ${root} stays there: the task does not have it`);
}

function acceptsDirty({
  template,
  acceptDirty = template.here ?? false,
}: PrepareTaskOptions): boolean {
  return acceptDirty;
}

interface NewTaskFacts {
  readonly place: Place;
  readonly description: string;
  readonly steps: readonly TemplateStep[];
  readonly now: Date;
}

function putDown(
  { home, template, config, keys, now: clock, version }: PrepareTaskOptions,
  { place, description, steps, now }: NewTaskFacts,
): PreparedTask {
  const { workspaceId, metadata } = place;
  const id = `task-${randomUUID()}`;
  const taskDir = taskFolder(home, workspaceId, id);
  const createdAt = now.toISOString();
  const task: TaskRecord = {
    id,
    workspaceId,
    templateId: template.id,
    description,
    status: "pending",
    currentStep: 0,
    steps: steps.map(({ name, type }) => ({ name, type, status: "pending", attempts: 0 })),
    stepResults: [],
    transitions: [],
    createdAt,
    updatedAt: createdAt,
    config,
    template: steps,
    metadata,
    extra: {},
  };
  writeWorkspace(workspaceDir(home, workspaceId), workspaceWith(task, place, home));
  const keyIndex = keys.keyIndex({ workspaceId, taskId: id });
  writeTask(taskDir, task);
  const store = createHookFileStore({ dir: taskDir, now: clock, version });
  const hook = creatingHook(() => store.create(hookTask(task, keyIndex)));
  return { taskDir, task: syncTask(task, hook), hook };
}

function workspaceWith(task: TaskRecord, place: Place, home: string): Workspace {
  const { workspaceId: name, workspace, commonDir } = place;
  const { branch, worktreeDir, repoPath, isHere, baseBranch } = task.metadata;
  return {
    name,
    path: workspaceDir(home, name),
    worktreePath: worktreeDir,
    branch,
    status: "active",
    tasks: [...(workspace?.tasks ?? []), task.id],
    repoPath,
    createdAt: workspace?.createdAt ?? task.createdAt,
    updatedAt: task.createdAt,
    metadata: { ...workspace?.metadata, commonDir, isHere, baseBranch },
    extra: workspace?.extra ?? {},
  };
}

function hookTask(task: TaskRecord, keyIndex: number): NewTask {
  const { branch, worktreeDir, repoPath } = task.metadata;
  return {
    taskId: task.id,
    workspaceId: task.workspaceId,
    title: titleOf(task.description),
    description: task.description,
    template: task.templateId,
    branch,
    worktreePath: worktreeDir,
    repoPath,
    keyIndex,
    steps: task.template.map(({ name, type, recovery, maxAttempts, onReject }) => ({
      name,
      type,
      recovery,
      maxAttempts,
      onReject,
    })),
  };
}

/** The first line, of at most 100 characters. */
function titleOf(description: string): string {
  const [line = ""] = description.split(/[\r\n]/, 1);
  const characters = Array.from(line);
  return characters.length <= 100 ? line : `${characters.slice(0, 99).join("")}…`;
}

function creatingHook(create: () => HookFile): HookFile {
  try {
    return create();
  } catch (error) {
    const why = messageOf(error);
    throw new TasksError("ERR_NOT_CREATED", `creating hook: ${why}`, { cause: error });
  }
}
