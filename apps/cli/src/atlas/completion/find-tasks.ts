import { firstLine } from "@quasar/runs/text";
import { listTasks, listWorkspaces } from "@quasar/tasks";
import { type Candidate, MOST } from "../../shared/completion/values.ts";
import { atlasHome } from "../home.ts";

/** Tasks, newest first, and workspaces, by either of which a task is named. */
export function findTasks(typed: string): readonly Candidate[] {
  const tasks = listTasks(atlasHome(process.env)).map(({ taskId, workspaceId, hook }) => {
    const { state = "damaged", title = "" } = hook ?? {};
    return [taskId, `${state} in ${workspaceId}: ${firstLine(title)}`] as const;
  });
  return [...begun(tasks, typed), ...findWorkspaces(typed)];
}

export function findWorkspaces(typed: string): readonly Candidate[] {
  const workspaces = listWorkspaces(atlasHome(process.env)).map(({ name, workspace }) => {
    const facts =
      "status" in workspace ? `${workspace.status}, branch ${workspace.branch}` : workspace.problem;
    return [name, `workspace: ${facts}`] as const;
  });
  return begun(workspaces, typed);
}

function begun(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(([text]) => text.startsWith(typed)).slice(0, MOST);
}
