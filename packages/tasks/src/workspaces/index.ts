export { closeWorkspace, destroyWorkspace } from "./end-workspace.ts";
export { listWorkspaces } from "./list-workspaces.ts";
export { WORKSPACE_STATUSES } from "./workspace.ts";
