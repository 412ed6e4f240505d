import type { HookFile } from "@quasar/hookfile";
import { count, firstLine, shellWord } from "@quasar/runs/text";
import { type Finding, ok, problem, warning } from "../../shared/doctor/finding.ts";

/** A task that has not ended. */
export interface TaskFacts {
  readonly taskId: string;
  /** `undefined` where it cannot be read. */
  readonly hook: Pick<HookFile, "title" | "awaiting"> | undefined;
}

/** A workspace whose work tree should be there. */
export interface WorkspaceFacts {
  readonly name: string;
  /** What is wrong with its file; `undefined`: nothing. */
  readonly problem: string | undefined;
  readonly dir: string;
  readonly worktreePath: string;
  readonly isTreeThere: boolean;
  /** What a person can type for its task where the tree is gone; empty where no task continues in it. */
  readonly waysBack: readonly string[];
}

const MOST = 5;
/** Enough of an id to name a task by. */
const SHORT_ID = "task-".length + 8;

/** The tasks that wait for a person, the first of them by name, and those that cannot be read. */
export function taskFindings(tasks: readonly TaskFacts[]): readonly Finding[] {
  const damaged = tasks.filter(({ hook }) => hook === undefined);
  const waiting = tasks.filter(({ hook }) => hook?.awaiting !== undefined);
  const more = waiting.length - MOST;
  return [
    ...damaged.map(({ taskId }) => {
      const next = [`atlas hook status ${taskId}`, `atlas recover ${taskId}`];
      return problem("tasks", `${taskId} cannot be read`, next);
    }),
    ...waiting.slice(0, MOST).map(waits),
    ...(more > 0
      ? [{ ...ok("tasks", `and ${count(more, "task")} more`), next: ["atlas status --all"] }]
      : []),
  ];
}

function waits({ taskId, hook }: TaskFacts): Finding {
  const id = taskId.slice(0, SHORT_ID);
  const message = `${id} waits for you: ${firstLine(hook?.title ?? "")}`;
  return { ...ok("tasks", message), next: [`atlas status ${id}`] };
}

/** Workspaces that cannot be read, and those whose work tree is gone. */
export function workspaceFindings(workspaces: readonly WorkspaceFacts[]): readonly Finding[] {
  return workspaces.flatMap((workspace): readonly Finding[] => {
    const { name, dir, worktreePath, isTreeThere, waysBack } = workspace;
    if (workspace.problem !== undefined) {
      return [problem("spaces", `${name}: ${workspace.problem}`, [`ls -la ${shellWord(dir)}`])];
    }
    if (isTreeThere) return [];
    const close = `atlas workspace close ${shellWord(name)}   # the branch stays`;
    const message = `${name}: its work tree ${worktreePath} is gone`;
    return [warning("spaces", message, waysBack.length > 0 ? waysBack : [close])];
  });
}
