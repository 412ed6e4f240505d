import { GitError } from "@quasar/git";
import { HookFileError } from "@quasar/hookfile";
import { installGitHook, uninstallGitHook } from "@quasar/hookfile/git-hook";
import { DurableError } from "@quasar/durable";
import type { GitHook } from "./parts.ts";
import type { Session } from "./session.ts";

/** The git hook that tells a task of its commits. It only saves time, so nothing about it is an error. */
export const gitHook: GitHook = {
  install: ({ taskDir, task, atlas, signal }) =>
    unlessImpossible("installed", async () => {
      const { gitHooks: mode } = task.config;
      const options = { taskDir, command: atlas, mode, signal };
      const installed = await installGitHook(task.metadata.worktreeDir, options);
      if (installed.kind !== "printed") return undefined;
      return `add this line to ${installed.path}, to have commits noticed at once: ${installed.line}`;
    }),
  uninstall: ({ taskDir, task }) =>
    unlessImpossible("removed", async () => {
      const left = await uninstallGitHook(task.metadata.repoPath, { taskDir });
      if (left.kind !== "left") return undefined;
      return `take Atlas's lines out of ${left.path}: they were changed, or it cannot be written`;
    }),
};

async function unlessImpossible(
  what: string,
  act: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await act();
  } catch (error) {
    const isKnown =
      error instanceof GitError || error instanceof DurableError || error instanceof HookFileError;
    if (!isKnown) throw error;
    return `the git hook could not be ${what}: ${error.message}`;
  }
}

/** For the task of a drive; may be done again. */
export async function putGitHook(session: Session): Promise<void> {
  const { taskDir, task, parts, ports, signal } = session;
  const said = await parts.gitHook.install({ taskDir, task: task(), atlas: ports.atlas, signal });
  if (said !== undefined) session.warn(said);
}

/** It comes off with the last task of the repository that continues. */
export async function takeGitHook(session: Session): Promise<void> {
  const { taskDir, task, parts } = session;
  const said = await parts.gitHook.uninstall({ taskDir, task: task() });
  if (said !== undefined) session.warn(said);
}
