import { join } from "node:path";
import { openRepository } from "@quasar/git";
import type { GitControls } from "@quasar/git/internal";
import { withoutOwnBlock } from "@quasar/hookfile/internal";
import {
  type ControlsOptions,
  controlsWords,
  openControls,
  stopWords,
} from "@quasar/loop/internal";
import type { StepInput } from "./steps/step.ts";

/** Of a task, what must be known to say what controls git in its work tree. */
export type ControlsInput = Pick<StepInput, "taskDir" | "worktree"> & {
  readonly ports: Pick<StepInput["ports"], "atlas" | "redact">;
};

/** What controlled git in a task's work tree before anything of the task ran there, for its runs of agents too. */
export function controlsOptions({
  taskDir,
  ports: { atlas },
}: Pick<ControlsInput, "taskDir" | "ports">): ControlsOptions {
  return { file: join(taskDir, "git-controls.json"), withoutOwn: withoutOwnBlock(atlas) };
}

/**
 * Of each drive, whose ports are its own, by the folders of tasks: what is compared with stays here, where nothing
 * in the tree comes to it.
 */
const opened = new WeakMap<ControlsInput["ports"], Map<string, Promise<GitControls>>>();

/** @throws {GitError} for a work tree that cannot be used, and for settings that cannot be read. */
export async function openTaskControls(input: ControlsInput): Promise<GitControls> {
  const { taskDir, ports, worktree } = input;
  const ofPorts = opened.get(ports) ?? new Map<string, Promise<GitControls>>();
  const known = ofPorts.get(taskDir);
  if (known !== undefined) return known;
  const repository = await openRepository(worktree);
  const controls = openControls(repository, controlsOptions(input), ports.redact);
  opened.set(ports, ofPorts.set(taskDir, controls));
  // What failed is tried again by the next who asks.
  controls.catch(() => ofPorts.delete(taskDir));
  return controls;
}

/** What has changed, in words; `""`: nothing. */
export async function changedControls(input: ControlsInput): Promise<string> {
  return controlsWords(await (await openTaskControls(input)).changes());
}

/** Why git must not commit or push in the work tree, and what to do about it; `undefined` where it may. */
export async function controlsObstacle(input: ControlsInput): Promise<string | undefined> {
  const words = stopWords(await (await openTaskControls(input)).changes());
  return words && `${words} ${CONTROLS_ADVICE}`;
}

export const CONTROLS_ADVICE =
  "Look (git config --list --show-origin, and the hooks) and put back what you do not want, then atlas retry; " +
  "or accept all of it: atlas retry --accept-settings";
