import { RunsError, type Workspace } from "@quasar/runs";
import {
  allTurns,
  findRun,
  listRuns,
  openUser,
  openWorkspace,
  runIds,
} from "@quasar/runs/internal";
import { firstLine } from "@quasar/runs/text";
import { type Candidate, MOST } from "../../shared/completion/values.ts";
import { shortId, TURN_ENDS } from "@quasar/runs/words";

/** Runs of the work tree that one is in, newest first. */
export async function findRuns(typed: string): Promise<readonly Candidate[]> {
  return runsIn(await openWorkspace(process.cwd()), typed);
}

/** The same, and turns: of the newest run by their numbers, of another as `<run>.<n>`. */
export async function findRunsAndTurns(typed: string): Promise<readonly Candidate[]> {
  const workspace = await openWorkspace(process.cwd());
  const [prefix = "", id] = /^(.+)\./u.exec(typed) ?? [];
  if (id !== undefined) return turnsOf(workspace, id, prefix);
  const runs = await runsIn(workspace, typed);
  return [...runs, ...(await turnsOf(workspace, undefined, ""))];
}

async function runsIn(workspace: Workspace, typed: string): Promise<readonly Candidate[]> {
  const ids = runIds(workspace).filter((id) => id.startsWith(typed));
  const candidates: Candidate[] = [];
  for await (const run of listRuns(workspace, openUser(), ids.slice(0, MOST))) {
    const { id, status, task, reason } = run;
    candidates.push([id, `${status}: ${firstLine(status === "damaged" ? reason : task)}`]);
  }
  return candidates;
}

/** @param id - `undefined`: the newest run. */
async function turnsOf(
  workspace: Workspace,
  id: string | undefined,
  prefix: string,
): Promise<readonly Candidate[]> {
  try {
    const { loaded, dir } = await findRun(workspace, id);
    return allTurns(loaded.checkpoint, [], dir).map(({ turnId, role, cycle, status }) => [
      prefix + shortId(turnId),
      `${role}, cycle ${cycle}, ${TURN_ENDS[status]}`,
    ]);
  } catch (error) {
    if (error instanceof RunsError) return []; // there is none, or it cannot be read
    throw error;
  }
}
