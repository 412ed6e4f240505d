import { existsSync } from "node:fs";
import { join } from "node:path";
import { listWorktrees } from "@quasar/git/work-trees";
import type { NebulaState } from "@quasar/nebula";
import type { OwnedPhase } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { openWorkspace, runIds } from "@quasar/runs/internal";
import { cleanLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { showStep } from "./show-step.ts";

/** The nebulae of a repository; `undefined` where it never had one: then nothing of them is loaded. */
export async function nebulaeOf(workspace: Workspace) {
  const { repositoryId } = workspace;
  if (!existsSync(join(repositoryId, "quasar", "nebulae"))) return undefined;
  const { checkNebulae, isTreeOfPhase, isUnfinished, ...internal } = await import(
    "@quasar/nebula/internal"
  );
  const { hasEngine } = await import("./choose.ts");
  const { nextOf } = await import("./next.ts");
  const { findNebula, listNebulae, nebulaCost, phaseOfRun, phaseOfTree, progressOf } = internal;
  return {
    isTreeOfPhase,
    isUnfinished,
    /** Whether an engine works on it. */
    isWorkedOn: hasEngine(repositoryId),
    progressOf,
    problems: checkNebulae,
    phaseOfRun: (runId: string) => phaseOfRun(repositoryId, runId),
    phaseOfTree: (root: string) => phaseOfTree(repositoryId, root),
    stepsOf: (state: NebulaState) => nextOf(workspace, state),
    /** By a name, an id or a folder. */
    find: (named: string) => findNebula(repositoryId, named),
    /** The newest first. */
    all: () => listNebulae(repositoryId),
    costOf: (state: NebulaState) => nebulaCost(repositoryId, state),
    unfinished: () => listNebulae(repositoryId).filter(isUnfinished),
  };
}

/** From where a run is read: a folder, and where its work tree's runs are. */
export interface PlaceOfRun {
  readonly cwd: string;
  /** @default in the work tree's git folder */
  readonly home?: string | undefined;
  /** The phase that the run is of. */
  readonly phase?: OwnedPhase | undefined;
  /** What was opened of the folder. @default nothing, or of another one */
  readonly opened?: Workspace | undefined;
}

/**
 * Where the run is that a person names: in the current work tree, or a phase's of a nebula of the repository.
 *
 * @param id - As it was typed; `undefined`: the newest of the current work tree, or of the phase that it was made for.
 */
export async function placeOfRun(id: string | undefined): Promise<PlaceOfRun> {
  const cwd = process.cwd();
  const workspace = await openWorkspace(cwd);
  if (id === undefined) {
    const own = await phaseOfWorkTree(workspace);
    const hasRun = own !== undefined && own.phase.runId !== "";
    return hasRun ? { cwd, home: own.runsDir, phase: own } : { cwd, opened: workspace };
  }
  if (runIds(workspace).includes(id)) return { cwd, opened: workspace };
  const nebulae = await nebulaeOf(workspace);
  const phase = nebulae?.phaseOfRun(id);
  if (nebulae === undefined || phase === undefined) return { cwd, opened: workspace };
  const trees = await listWorktrees(workspace.root);
  const own = trees.find(({ path }) => nebulae.isTreeOfPhase(phase, path) && existsSync(path));
  return { cwd: own?.path ?? cwd, home: phase.runsDir, phase };
}

/** The phase that a work tree was made for; `undefined`: none, or it has runs of its own. */
export async function phaseOfWorkTree(workspace: Workspace): Promise<OwnedPhase | undefined> {
  if (runIds(workspace).length > 0) return undefined;
  return (await nebulaeOf(workspace))?.phaseOfTree(workspace.root);
}

/** `the phase one of the nebula demo`. */
export function ownedPhaseWords({ nebula, phase }: OwnedPhase): string {
  return `the phase ${cleanLine(phase.id)} of the nebula ${cleanLine(nebula.name)}`;
}

/** What shows a phase, and its newest run, from any folder of the repository. */
export function ownedPhaseSteps({ nebula, phase }: OwnedPhase): readonly string[] {
  const run = phase.runId === "" ? [] : [`quasar show ${phase.runId}`];
  return [showStep(phase.id, nebula.id), ...run];
}

/** The workspace of the run that a person names. */
export async function workspaceOfRun(
  id: string | undefined,
): Promise<Workspace & Pick<PlaceOfRun, "phase">> {
  const { cwd, home, phase, opened } = await placeOfRun(id);
  return { ...(opened ?? (await openWorkspace(cwd, { home }))), phase };
}

/**
 * Refuses to work on, or give up, a run that is a nebula's: by its id, or in a phase's work tree.
 *
 * @throws {CliError} `ERR_UNFINISHED_RUN`
 */
export async function refusePhaseRun(
  workspace: Workspace,
  runId: string | undefined,
): Promise<void> {
  if (runId !== undefined && runIds(workspace).includes(runId)) return;
  const nebulae = await nebulaeOf(workspace);
  const inTree = nebulae?.phaseOfTree(workspace.root);
  const found = runId === undefined ? inTree : (nebulae?.phaseOfRun(runId) ?? inTree);
  if (found === undefined) return;
  const { nebula } = found;
  const whose = ownedPhaseWords(found);
  const steps = (await nebulae?.stepsOf(nebula)) ?? [];
  const message =
    runId === undefined ? `this work tree is that of ${whose}` : `run ${runId} is of ${whose}`;
  const why =
    nebulae?.isWorkedOn(nebula) === true ? "which works on it" : "which alone continues it";
  throw new CliError("ERR_UNFINISHED_RUN", `${message}, ${why}`, {
    next: [
      ...steps,
      ...(nebulae?.isUnfinished(nebula) === true ? [`quasar nebula plan ${nebula.id}`] : []),
      `quasar nebula status ${nebula.id} --all`,
    ],
  });
}
