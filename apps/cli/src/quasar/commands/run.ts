import { checkSigning } from "@quasar/git";
import { runTask } from "@quasar/loop";
import { createAgents, withAbsoluteScripts } from "../../shared/agents.ts";
import { type FlagValues, resolve } from "../../shared/config/layers.ts";
import { loadConfig } from "../config/load.ts";
import { requireRunnable } from "../../shared/checks/runnable.ts";
import { loadTrusted } from "../../shared/config/trust.ts";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { clearTree, findOutliving } from "../orphans.ts";
import { freeGit } from "../git-locks.ts";
import { firstLine } from "../../shared/output/text.ts";
import { newRunId } from "../run-id.ts";
import { openRunIds, summarize } from "../runs/list.ts";
import { removedRun } from "../runs/removed.ts";
import { runStores } from "../../shared/runs/store.ts";
import type { RunSummary } from "../runs/summary.ts";
import { inSession, type Session } from "../session.ts";
import { readTask } from "../../shared/task.ts";
import { openUser } from "../../shared/user.ts";
import { work } from "../work.ts";
import { inLinkedTree, inspectTree } from "../work-tree.ts";
import { openWorkspace, type Workspace } from "../../shared/workspace.ts";

export interface RunOptions {
  readonly flags: FlagValues;
  readonly file?: string | undefined;
  readonly acceptDirty?: true | undefined;
  readonly worktree?: true | undefined;
  readonly new?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar run`: works on a task in the work tree that the current folder is in. */
export async function runCommand(
  argument: string | undefined,
  options: RunOptions,
): Promise<ExitCode> {
  const { file, flags } = options;
  const cwd = process.cwd();
  const task = await readTask({ argument, file, cwd, stdin: process.stdin });
  const origin = await openWorkspace(cwd);
  const user = openUser();
  const { root } = origin;
  const env = process.env;
  const { folders } = user;
  const layers = await loadTrusted(options.trustConfig === true, (trust) =>
    loadConfig({ flags, env, cwd, root, folders, trust }),
  );
  const settings = withAbsoluteScripts(resolve(layers), cwd);
  // What is wrong with the agents is told before anything is touched.
  const agents = createAgents(settings);
  requireRunnable([...settings.lint, ...settings.filter], {
    workTree: root,
    searchPath: env["PATH"] ?? "",
  });
  await checkSigning(root);

  const runId = newRunId(new Date());
  const runIn = (workspace: Workspace, keep: () => void): Promise<ExitCode> =>
    inSession(workspace, options.json === true, async (session) => {
      const { reporter } = session;
      for (const message of layers.flatMap(({ warnings }) => warnings)) {
        reporter.report({ type: "warning", cycle: 0, message });
      }
      await freeGit(session);
      await seeToThePast(session, options.new === true);
      const ground = await inspectTree(workspace, options.acceptDirty === true, reporter);
      session.begin(runId);
      keep();
      const sealKey = user.sealKey();
      const stores = runStores(workspace, runId, sealKey);
      const spending = { spentUsd: 0, unknownCostUsd: 0, hasUnsaidCosts: false };
      return work(
        session,
        { runId, task, settings, agents, stores, sealKey, spending, ...ground },
        (loopOptions) => runTask({ title: task }, loopOptions),
      );
    });
  return options.worktree === true
    ? inLinkedTree(origin, { runId }, runIn)
    : runIn(origin, () => {});
}

/**
 * Refuses to pass over a run that was interrupted, or one whose agent still works in the tree, and
 * ends what else runs have left running.
 */
async function seeToThePast({ workspace, reporter }: Session, isNew: boolean): Promise<void> {
  const ids = openRunIds(workspace);
  const runs = isNew ? [] : await summarize(workspace, ids, { live: false });
  const removed = isNew ? undefined : await removedRun(workspace);
  const all = removed === undefined ? runs : [removed, ...runs];
  const interrupted = all.find(({ status }) => status === "interrupted");
  if (interrupted !== undefined) throw unfinishedRun(interrupted);
  await clearTree(workspace, await findOutliving(ids), reporter);
}

function unfinishedRun({ id, task }: RunSummary): CliError {
  const message = `run ${id} of this work tree was interrupted: ${firstLine(task)}`;
  return new CliError("ERR_UNFINISHED_RUN", message, {
    next: ["quasar resume", 'quasar run --new "…" (leaves the other one for later)'],
  });
}
