import { existsSync } from "node:fs";
import { join } from "node:path";
import { createRedactor } from "@quasar/agents/environment";
import { openControls, stopWords } from "@quasar/loop/internal";
import type { NextStep } from "../next-step.ts";
import { repositoryOf, type Workspace } from "../workspace.ts";
import type { ResumedWith } from "./resume.ts";

/** In a run's folder: what controlled git when the run began. */
export const CONTROLS_FILE = "git-controls.json";

/** The first thing to do about what has changed. */
export const LOOK_AT_CONTROLS: NextStep = {
  shell: "git config --list --show-origin",
  note: "and the hooks: put back what you do not want",
};

/**
 * Why a resume would stop before git runs, in words: its settings or hooks changed since the run began. `undefined`
 * where it would not for that.
 */
export async function changedControls(
  workspace: Workspace,
  runId: string,
  { withoutOwnHook: withoutOwn }: Pick<ResumedWith, "withoutOwnHook">,
): Promise<string | undefined> {
  const file = join(workspace.runsDir, runId, CONTROLS_FILE);
  if (!existsSync(file)) return undefined;
  const redact = createRedactor(process.env);
  const controls = await openControls(repositoryOf(workspace), { file, withoutOwn }, redact);
  return stopWords(await controls.changes());
}
