import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitDirAt } from "@quasar/git/internal";
import { listWorktrees } from "@quasar/git/work-trees";
import { isTreeOfPhase, type OwnedPhase, phaseOfRun } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { openWorkspace, parseRunId, runIds } from "@quasar/runs/internal";
import { McpError } from "../errors.ts";

/** Where a run is. */
export interface RunPlace {
  readonly id: string;
  /** Of the work tree whose run it is. */
  readonly workspace: Workspace;
  /** The phase that it is of; `undefined`: it is of none. */
  readonly phase: OwnedPhase | undefined;
}

/**
 * The run of an id: of the server's work tree, of a phase of a nebula of its repository, or of another work tree of it.
 *
 * @param given - As the caller gave it: nothing that is no run's id is part of a path.
 * @throws {McpError} `ERR_NOT_FOUND` @throws {RunsError} `ERR_USAGE` where it is no run's id
 */
export async function findRunPlace(own: Workspace, given: string): Promise<RunPlace> {
  const id = parseRunId(given);
  if (runIds(own).includes(id)) return { id, workspace: own, phase: undefined };
  const phase = phaseOfRun(own.repositoryId, id);
  if (phase !== undefined) {
    const trees = await listWorktrees(own.root);
    const tree = trees.find(({ path }) => isTreeOfPhase(phase, path) && existsSync(path));
    const folder = tree?.path ?? own.root;
    return { id, workspace: await openWorkspace(folder, { home: phase.runsDir }), phase };
  }
  for (const tree of await listWorktrees(own.root)) {
    const workspace = await openWithRuns(tree.path);
    if (workspace !== undefined && runIds(workspace).includes(id)) {
      return { id, workspace, phase: undefined };
    }
  }
  throw new McpError("ERR_NOT_FOUND", `there is no run ${id} in this repository: see run_list`);
}

/** A work tree of the repository that has had a run, and can be read. */
async function openWithRuns(path: string): Promise<Workspace | undefined> {
  const gitDir = await gitDirAt(path);
  if (gitDir === undefined || !existsSync(join(gitDir, "quasar", "runs"))) return undefined;
  return openWorkspace(path).catch(() => undefined);
}
