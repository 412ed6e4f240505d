import { basename, dirname, isAbsolute, join } from "node:path";
import { openRepository, type SignalOptions } from "@quasar/git";
import { hooksFolder } from "@quasar/git/internal";
import { isActiveTask } from "./active-task.ts";
import { hasErrno } from "../errno.ts";
import { HookFileError } from "../errors.ts";
import { type Obstacle, planHook, putHook, type TakenOut, takeHookOut } from "./file.ts";
import {
  changeRegistry,
  type OpenRegistry,
  type RegisteredTask,
  type Registry,
} from "./registry.ts";
import { isInside, realOrIntended } from "../store/paths.ts";
import { fitsBlock, GIT_HOOK, GIT_HOOK_LINE } from "./script.ts";

export interface TaskOptions extends SignalOptions {
  /** The task's folder. */
  readonly taskDir: string;
  /**
   * Whether another task is still worked on; those that are not no longer count.
   *
   * @default whether its hook file says that it has not ended
   */
  readonly isActive?: ((taskDir: string) => boolean) | undefined;
}

export interface InstallGitHookOptions extends TaskOptions {
  /** The program `atlas` and its first arguments: absolute paths. */
  readonly command: readonly string[];
  /** `print`: change no git hook; `off`: leave the repository alone. @default "auto" */
  readonly mode?: "auto" | "print" | "off" | undefined;
}

export type InstalledGitHook =
  | { readonly kind: "off" }
  /** It is there already, for another task or from another time. */
  | { readonly kind: "present"; readonly path: string }
  | {
      readonly kind: "installed";
      readonly path: string;
      readonly how: "created" | "inserted" | "refreshed";
    }
  /** The git hook is not ours to change: a person may put the line into it. */
  | {
      readonly kind: "printed";
      readonly path: string;
      readonly line: string;
      readonly reason: Obstacle | "asked" | "outside" | "not-writable";
    };

/**
 * Has the commits of a work tree told to its task: registers the task, and puts our block into the
 * repository's `post-commit` git hook where that is ours to change. Doing it twice is doing it once.
 *
 * @param workTree - Any folder of the work tree that the task works in.
 * @throws {GitError} as `openRepository` does; {HookFileError} `ERR_INVALID_HOOK_FILE` for a command
 *   that is no absolute path; {DurableError} `ERR_LOCKED`.
 * @see SPEC.md, "Git hook"
 */
export async function installGitHook(
  workTree: string,
  options: InstallGitHookOptions,
): Promise<InstalledGitHook> {
  const { command, mode = "auto", taskDir, isActive = isActiveTask, signal } = options;
  if (command.length === 0 || !command.every((part) => isAbsolute(part)) || !fitsBlock(command)) {
    throw new HookFileError("ERR_INVALID_HOOK_FILE", "command is not made of absolute paths");
  }
  if (mode === "off") return { kind: "off" };
  const repository = await openRepository(workTree, { signal });
  const { root, commonDir } = repository;
  const folder = realOrIntended((await hooksFolder(repository, { signal })).path);
  const path = join(folder, GIT_HOOK);
  const task: RegisteredTask = { taskDir: realOrIntended(taskDir), worktree: root };
  const printed = (reason: PrintedReason): InstalledGitHook => {
    return { kind: "printed", path, line: GIT_HOOK_LINE, reason };
  };
  const install = ({ registry, save }: OpenRegistry): InstalledGitHook => {
    const tasks = [...activeTasks(registry, task.taskDir, isActive), task];
    save({ ...registry, tasks });
    if (mode === "print") return printed("asked");
    if (!isInside(commonDir, folder)) return printed("outside");
    const plan = planHook(folder, command);
    if (plan.kind === "obstacle") return printed(plan.obstacle);
    if (plan.kind === "present") return { kind: "present", path };
    const known = registry.hooks.find((hook) => hook.path === path);
    const others = registry.hooks.filter((hook) => hook !== known);
    const madeFolder = putHook(folder, plan) || known?.madeFolder === true;
    save({ tasks, hooks: [...others, { path, madeFolder }] });
    return { kind: "installed", path, how: plan.how };
  };
  try {
    return await changeRegistry(commonDir, install, signal);
  } catch (error) {
    if (hasErrno(error, "EACCES", "EPERM", "EROFS")) return printed("not-writable");
    throw error;
  }
}

type PrintedReason = Extract<InstalledGitHook, { kind: "printed" }>["reason"];

export type UninstalledGitHook =
  /** Other tasks of the repository continue. */
  | { readonly kind: "kept"; readonly tasks: number }
  | { readonly kind: "absent" }
  /** `file`: it was ours and is gone; `block`: what is left is what others wrote. */
  | { readonly kind: "removed"; readonly path: string; readonly what: "file" | "block" }
  /** A person has to take our lines out. */
  | {
      readonly kind: "left";
      readonly path: string;
      readonly reason: "damaged-block" | "not-writable";
    };

/**
 * Ends what `installGitHook` began for a task. With the repository's last active task everything that
 * was put there goes: the block and nothing else, so that the git hook has the bytes that it would
 * have had without us.
 *
 * @param workTree - Any folder of any work tree of the repository.
 * @throws as `installGitHook` does.
 * @see SPEC.md, "Git hook"
 */
export async function uninstallGitHook(
  workTree: string,
  { taskDir, isActive = isActiveTask, signal }: TaskOptions,
): Promise<UninstalledGitHook> {
  const repository = await openRepository(workTree, { signal });
  const { commonDir } = repository;
  const present = join(realOrIntended((await hooksFolder(repository, { signal })).path), GIT_HOOK);
  const uninstall = ({ registry, save }: OpenRegistry): UninstalledGitHook => {
    const tasks = activeTasks(registry, realOrIntended(taskDir), isActive);
    if (tasks.length > 0) {
      save({ ...registry, tasks });
      return { kind: "kept", tasks: tasks.length };
    }
    const unknown = registry.hooks.some(({ path }) => path === present) ? [] : [present];
    const hooks = [...registry.hooks, ...unknown.map((path) => ({ path, madeFolder: false }))];
    const ours = hooks.filter(({ path }) => isHookInside(commonDir, path));
    const results = ours.map((hook) => ({ path: hook.path, taken: takeOut(hook) }));
    save({ tasks: [], hooks: [] });
    return (
      results.map(left).find((each) => each !== undefined) ??
      results.map(removed).find((each) => each !== undefined) ?? { kind: "absent" }
    );
  };
  return changeRegistry(commonDir, uninstall, signal);
}

interface Result {
  readonly path: string;
  readonly taken: TakenOut | "not-writable";
}

function takeOut(hook: Registry["hooks"][number]): Result["taken"] {
  try {
    return takeHookOut(hook.path, hook);
  } catch (error) {
    if (hasErrno(error, "EACCES", "EPERM", "EROFS")) return "not-writable";
    throw error;
  }
}

function left({ path, taken }: Result): UninstalledGitHook | undefined {
  const isLeft = taken === "damaged-block" || taken === "not-writable";
  return isLeft ? { kind: "left", path, reason: taken } : undefined;
}

function removed({ path, taken }: Result): UninstalledGitHook | undefined {
  const isRemoved = taken === "file" || taken === "block";
  return isRemoved ? { kind: "removed", path, what: taken } : undefined;
}

/** Of all registered tasks those that still count, but for one. */
function activeTasks(
  { tasks }: Registry,
  but: string,
  isActive: (taskDir: string) => boolean,
): readonly RegisteredTask[] {
  return tasks.filter(({ taskDir }) => taskDir !== but && isActive(taskDir));
}

/** A registry that somebody else wrote leads nowhere else. */
function isHookInside(commonDir: string, path: string): boolean {
  return (
    isAbsolute(path) &&
    basename(path) === GIT_HOOK &&
    isInside(commonDir, realOrIntended(dirname(path)))
  );
}
