import { firstLine } from "@quasar/runs/text";
import { findTask, listTasks, TasksError } from "@quasar/tasks";
import { taskRuns } from "@quasar/tasks/record";
import { listWorkspaces } from "@quasar/tasks/workspaces";
import { type Candidate, MOST } from "../../shared/completion/values.ts";
import { TURN_ENDS } from "@quasar/runs/words";
import { atlasHome } from "../home.ts";
import { nameOfTurn } from "../turn-name.ts";

/** Tasks, newest first, and workspaces, by either of which a task is named. */
export function findTasks(typed: string): readonly Candidate[] {
  const tasks = listTasks(atlasHome(process.env)).map(({ taskId, workspaceId, hook }) => {
    const { state = "damaged", title = "" } = hook ?? {};
    return [taskId, `${state} in ${workspaceId}: ${firstLine(title)}`] as const;
  });
  return [...begun(tasks, typed), ...findWorkspaces(typed)];
}

/** The same, and the turns of the task of this folder. */
export async function findTasksAndTurns(typed: string): Promise<readonly Candidate[]> {
  return [...findTasks(typed), ...(await findTurns(typed, undefined))];
}

/** @param id - As it was typed; `undefined`: the task of this folder. */
export async function findTurns(
  typed: string,
  id: string | undefined,
): Promise<readonly Candidate[]> {
  const home = atlasHome(process.env);
  try {
    const { dir } = await findTask({ home, cwd: process.cwd(), id, ended: true });
    const { runs } = await taskRuns(dir);
    const turns = runs.flatMap(({ name: run, turns: of }) => of.map((turn) => ({ ...turn, run })));
    return begun(
      turns.map((turn) => [
        nameOfTurn(turn),
        `${turn.role}, cycle ${turn.cycle}, ${TURN_ENDS[turn.status]}`,
      ]),
      typed,
    );
  } catch (error) {
    if (error instanceof TasksError) return []; // there is none, or it cannot be told which
    throw error;
  }
}

export function findWorkspaces(typed: string): readonly Candidate[] {
  const workspaces = listWorkspaces(atlasHome(process.env)).map((found) => {
    const facts =
      found.kind === "readable"
        ? `${found.workspace.status}, branch ${found.workspace.branch}`
        : found.problem;
    return [found.name, `workspace: ${facts}`] as const;
  });
  return begun(workspaces, typed);
}

function begun(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(([text]) => text.startsWith(typed)).slice(0, MOST);
}
