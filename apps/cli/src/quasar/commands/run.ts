import { checkSigning } from "@quasar/git/setup";
import { openRuns } from "@quasar/runs";
import { openUser } from "@quasar/runs/internal";
import { refusePhaseRun } from "../nebula/phase-run.ts";
import { runOptionsOf } from "../run-options.ts";
import { drive } from "../drive.ts";
import { isScreenWanted } from "../screen/wanted.ts";
import { createAgents, withAbsoluteScripts } from "../../shared/agents.ts";
import { type FlagValues, resolve } from "../../shared/config/layers.ts";
import { loadConfig } from "../config/load.ts";
import { requireRunnable } from "../../shared/checks/runnable.ts";
import { loadTrusted } from "../../shared/config/trust.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { readTask } from "../../shared/task.ts";

export interface RunOptions {
  readonly flags: FlagValues;
  readonly file?: string | undefined;
  readonly acceptDirty?: true | undefined;
  readonly worktree?: true | undefined;
  readonly new?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly watch?: true | undefined;
  readonly json?: true | undefined;
}

/** Where no agent is installed. */
const OTHER_WAYS = { start: 'quasar run "…"', without: ["quasar demo"] };

/** `quasar run`: works on a task in the work tree that the current folder is in. */
export async function runCommand(
  argument: string | undefined,
  options: RunOptions,
): Promise<ExitCode> {
  const { file, flags } = options;
  const hasScreen = isScreenWanted(options);
  const cwd = process.cwd();
  const task = await readTask({ argument, file, cwd, stdin: process.stdin });
  const runs = await openRuns(cwd);
  const { root } = runs.workspace;
  await refusePhaseRun(runs.workspace, undefined);
  const env = process.env;
  const { folders } = openUser();
  const layers = await loadTrusted(options.trustConfig === true, (trust) =>
    loadConfig({ flags, env, cwd, root, folders, trust }),
  );
  const settings = withAbsoluteScripts(resolve(layers), cwd);
  // What is wrong with the agents is reported before anything is touched.
  const agents = createAgents(settings, OTHER_WAYS);
  requireRunnable([...settings.lint, ...settings.filter], {
    workTree: root,
    searchPath: env["PATH"] ?? "",
  });
  await checkSigning(root);

  const shown = { json: options.json === true, hasScreen };
  return drive(shown, ({ reporter, options: follow, use }) => {
    for (const message of layers.flatMap(({ warnings }) => warnings)) {
      reporter.report({ type: "warning", cycle: 0, message });
    }
    use(settings);
    return runs.start({
      ...runOptionsOf(settings, agents),
      ...follow,
      task,
      acceptDirty: options.acceptDirty,
      isNew: options.new,
      inWorktree: options.worktree,
    });
  });
}
