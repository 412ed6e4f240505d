import { existsSync, realpathSync } from "node:fs";
import type { NebulaState } from "@quasar/nebula";
import type { Workspace } from "@quasar/runs";
import { listRuns, openUser, runIds } from "@quasar/runs/internal";
import { nebulaeOf } from "./phase-run.ts";

/**
 * The nebula that a report is of: by its name, id or folder; without any the newest, where it was worked on after the
 * runs of this work tree. `undefined`: it is of a run.
 *
 * @throws {NebulaError} `ERR_USAGE` where several are meant.
 */
export async function nebulaToReport(
  workspace: Workspace,
  named: string | undefined,
): Promise<NebulaState | undefined> {
  const nebulae = await nebulaeOf(workspace);
  if (nebulae === undefined) return undefined;
  const all = nebulae.all();
  if (named === undefined) return newerThanRuns(workspace, all);
  const folder = existsSync(named) ? realpathSync(named) : named;
  const name = all.some(({ dir }) => dir === folder) ? folder : named;
  const isMeant = all.some((each) => [each.id, each.name, each.dir].includes(name));
  return isMeant ? nebulae.find(name) : undefined;
}

/** How many runs are compared: one that is continued is seldom older. */
const NEWEST = 20;

async function newerThanRuns(
  workspace: Workspace,
  all: readonly NebulaState[],
): Promise<NebulaState | undefined> {
  const [last] = all.toSorted((one, other) => workedOnAt(other).localeCompare(workedOnAt(one)));
  if (last === undefined) return undefined;
  const newest = runIds(workspace).slice(0, NEWEST);
  for await (const { savedAt } of listRuns(workspace, openUser(), newest, { live: false })) {
    if (savedAt > workedOnAt(last)) return undefined;
  }
  return last;
}

function workedOnAt({ createdAt, phases }: NebulaState): string {
  return phases.reduce((at, { updatedAt }) => (updatedAt > at ? updatedAt : at), createdAt);
}
