import { WORKSPACE_STATUSES } from "@quasar/tasks/workspaces";
import * as v from "valibot";
import { flag, list, object, record, text, texts, time, word } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { hookState } from "./parts.ts";

export const workspace = object(
  {
    name: text("Its name"),
    path: text("Its folder"),
    repoPath: text("The repository"),
    workTree: text("The work tree"),
    branch: text("Its branch"),
    status: word(WORKSPACE_STATUSES, "How it stands"),
    taskIds: texts("Of its tasks"),
    createdAt: time("When it was made"),
    updatedAt: time("When it changed last"),
    metadata: v.object({
      baseBranch: text("The branch from which it began"),
      commonDir: text("The repository's git folder"),
      isHere: flag("Whether the work tree was there before the workspace"),
    }),
    extra: record(v.unknown(), "What else the file holds"),
  },
  "workspace.json: a work tree and its branch",
);

const damaged = object(
  { problem: text("Why it cannot be read") },
  "A workspace.json that cannot be read",
);

export const workspacesLine = result("workspaces", "All workspaces", {
  home: text("Where everything is kept"),
  workspaces: list(
    v.object({
      name: text("Its name"),
      dir: text("Its folder"),
      workspace: v.union([workspace, damaged]),
      tasks: list(
        v.object({
          taskId: text("The task"),
          dir: text("Its folder"),
          state: v.union([hookState, v.literal("damaged")]),
        }),
        "Its tasks",
      ),
    }),
    "By their names",
  ),
});

const ended = {
  name: text("Its name"),
  repoPath: text("The repository"),
  workTree: text("Where the work tree was"),
  isWorkTreeRemoved: flag("Whether that is gone"),
  snapshot: v.optional(text("The ref that keeps what was not committed")),
  ignored: v.optional(text("The folder that keeps what git ignored")),
  keptBranch: v.optional(text("The branch that was merged nowhere")),
  bundle: v.optional(text("The file that keeps both")),
  taskIds: texts("Of its tasks"),
  warnings: texts("What a person should know"),
};

export const workspaceCloseLine = result("workspace_close", "A work tree was removed", ended);

export const workspaceDestroyLine = result(
  "workspace_destroy",
  "A work tree, its branch and its tasks were removed",
  ended,
);

export type WorkspacesLine = Printed<typeof workspacesLine>;
export type WorkspaceEndedLine = Printed<typeof workspaceCloseLine | typeof workspaceDestroyLine>;
