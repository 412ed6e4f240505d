import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "@quasar/git";
import { resolveCommit } from "@quasar/git/history";
import { gitFoldersAt, headAndChanges, operationInProgress, plainHead } from "@quasar/git/internal";
import { afterCoder, lastCommitOf } from "@quasar/runs/internal";
import { runsFolder } from "../state/home.ts";
import type { PhaseState } from "../state/state.ts";
import { repeatSetUp } from "../trees/repeat-set-up.ts";
import { keepUncommitted, moveTree, openTree, type TreeOptions, treePath } from "../trees/tree.ts";
import type { Engine } from "../context/context.ts";
import type { Phase } from "../state/schedule.ts";

/** The work tree of a phase, made where it is not there. @throws {NebulaError} `ERR_SETUP` */
export async function phaseTree(engine: Engine, phase: Phase): Promise<Repository> {
  return repeatSetUp(engine, phase.state.id, async () => {
    const commit = await reachedOf(engine, phase.state);
    return openTree(engine, { ...treeOptions(engine, phase), commit });
  });
}

/**
 * Before a run begins the tree holds its base, whatever an earlier attempt has left there: that is kept.
 *
 * @param isMade - Whether it was made just now.
 * @throws {NebulaError} `ERR_SETUP`
 */
export async function prepareTree(engine: Engine, phase: Phase, isMade: boolean): Promise<void> {
  const { id, base } = phase.state;
  const { name, setup } = treeOptions(engine, phase);
  // Nobody has worked in it.
  if (isMade && setup.commands.length === 0) {
    const folders = await gitFoldersAt(treePath(engine, name));
    if (folders !== undefined && plainHead(folders) === base) return;
  }
  await repeatSetUp(engine, id, () => holdCommit(engine, phase, base));
}

/**
 * The same before a run continues whose coder has finished: for a review the tree holds the run's last commit; for a
 * commit it stays as a person has left it. After that it continues as any other.
 *
 * @throws {NebulaError} `ERR_SETUP`
 */
export async function prepareAfterCoder(engine: Engine, phase: Phase): Promise<void> {
  const { id, ref, runId, base } = phase.state;
  const runDir = join(runsFolder(engine.home, ref), runId);
  if ((await afterCoder(runDir))?.step === "review") {
    const last = await lastCommitOf(runDir);
    await repeatSetUp(engine, id, () => holdCommit(engine, phase, last ?? base));
  }
  engine.store.keep(id, { isCoderDone: false });
}

/**
 * The same before a run continues that another machine has worked on: the tree holds what that one's did, whatever this
 * machine has left there before.
 *
 * @param cameAt - A commit, which its files need not name yet; `""`: as they say.
 *
 * @throws {NebulaError} `ERR_SETUP`
 */
export async function prepareForeign(engine: Engine, phase: Phase, cameAt: string): Promise<void> {
  const { id, ref, runId, base } = phase.state;
  const last = cameAt || (await lastCommitOf(join(runsFolder(engine.home, ref), runId))) || base;
  await repeatSetUp(engine, id, () => holdCommit(engine, phase, last));
}

async function holdCommit(engine: Engine, phase: Phase, commit: string): Promise<void> {
  const { signal } = engine;
  const options = { ...treeOptions(engine, phase), commit };
  const { root, gitDir } = await openTree(engine, options);
  const { head, dirty } = await headAndChanges(root, { signal });
  const wasDirty = dirty.length > 0;
  if (wasDirty) await keepUncommitted(engine, root, phase.state);
  const isBusy = (await operationInProgress({ gitDir })) !== undefined;
  if (head === commit && !wasDirty && !isBusy) return;
  await moveTree(engine, options);
}

/** The commit that a phase's work has got to, where its tree has to be made again. */
async function reachedOf(engine: Engine, { ref, runId, base }: PhaseState): Promise<string> {
  const { repository, home, signal } = engine;
  if (existsSync(treePath(engine, ref))) return base;
  const last = await lastCommitOf(join(runsFolder(home, ref), runId));
  return (last && (await resolveCommit(repository.root, last, { signal }))) ?? base;
}

function treeOptions({ spec: nebula }: Engine, { spec, state }: Phase): TreeOptions {
  const commands = spec.setup ?? nebula.execution.setup;
  return { name: state.ref, commit: state.base, setup: { commands } };
}
