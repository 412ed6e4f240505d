import { isTerminal } from "@quasar/hookfile";
import { cleanLine, jsonLine, count, shellWord } from "@quasar/runs/text";
import { closeWorkspace, destroyWorkspace, listWorkspaces } from "@quasar/tasks/workspaces";
import { result } from "../../shared/output/json.ts";
import { ask, canAsk, isYes } from "../../shared/ask.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { workspaceFacts } from "../facts/task.ts";
import { openInstallation } from "../installation.ts";
import type { WorkspaceEndedLine, WorkspacesLine } from "../schemas/workspaces.ts";

type Ended = Awaited<ReturnType<typeof closeWorkspace>>;

/** `atlas workspace list`: all workspaces and their tasks. */
export function workspaceListCommand({ json }: Given): ExitCode {
  const { home } = openInstallation();
  const workspaces = listWorkspaces(home);
  const next = workspaces.length === 0 ? ['atlas start "…"'] : [];
  if (json === true) {
    const facts = { home, workspaces: workspaces.map(entryOf) };
    const line = result("workspaces", facts, EXIT.ok, next) satisfies WorkspacesLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  if (workspaces.length === 0) {
    write(process.stdout, ["no workspaces yet", ...nextLines(next, view)]);
    return EXIT.ok;
  }
  const head = ["workspace", "status", "branch", "tasks", "work tree"];
  const rows = workspaces.map(({ name, tasks, ...found }) => {
    const active = tasks.filter(({ state }) => state === "damaged" || !isTerminal(state)).length;
    const held = active === 0 ? String(tasks.length) : `${tasks.length}, ${active} active`;
    if (found.kind === "damaged") return [name, "damaged", "", held, found.problem];
    const { status, branch, worktreePath } = found.workspace;
    return [name, status, branch, held, worktreePath];
  });
  write(
    process.stdout,
    tableLines(
      head,
      rows,
      head.map(() => "left" as const),
      view,
    ),
  );
  return EXIT.ok;
}

/** A workspace as it is printed. */
function entryOf({ name, dir, tasks, ...found }: ReturnType<typeof listWorkspaces>[number]) {
  return {
    name,
    dir,
    workspace:
      found.kind === "damaged" ? { problem: found.problem } : workspaceFacts(found.workspace),
    tasks: tasks.map(({ id: taskId, ...task }) => ({ taskId, ...task })),
  };
}

/** `atlas workspace close`: the work tree goes, branch and tasks stay. */
export async function workspaceCloseCommand(name: string, given: Given): Promise<ExitCode> {
  const { home, now } = openInstallation();
  await agree(`Remove the work tree of ${cleanLine(name)}?`, name, "close", given);
  const ended = await closeWorkspace({
    home,
    name,
    now,
    force: given.force,
  });
  return tell("workspace_close", "closed", ended, given);
}

/** `atlas workspace destroy`: work tree, branch and tasks go; what would be lost is kept in a file. */
export async function workspaceDestroyCommand(name: string, given: Given): Promise<ExitCode> {
  const { home, now, keys } = openInstallation();
  await agree(
    `Destroy ${cleanLine(name)} with its work tree, branch and tasks?`,
    name,
    "destroy",
    given,
  );
  const ended = await destroyWorkspace({
    home,
    name,
    now,
    keys,
    force: given.force,
  });
  return tell("workspace_destroy", "destroyed", ended, given);
}

/** Where nobody can be asked, the command itself is the word: the seed's has no flag. */
async function agree(question: string, name: string, verb: string, given: Given): Promise<void> {
  if (given.yes === true || !canAsk() || isYes(await ask(`${question} [y/N] `))) return;
  throw new CliError("ERR_PERSON", "nothing was removed", {
    next: [`atlas workspace ${verb} ${shellWord(name)} --yes`],
  });
}

function tell(
  type: WorkspaceEndedLine["type"],
  said: string,
  ended: Ended,
  { json }: Given,
): ExitCode {
  if (json === true) {
    const { tasks: taskIds, ...rest } = ended;
    const facts = { ...rest, taskIds };
    const line = result(type, facts, EXIT.ok, waysBack(ended)) satisfies WorkspaceEndedLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const { name, workTree, isWorkTreeRemoved, snapshot, ignored, keptBranch, bundle } = ended;
  const { tasks, warnings } = ended;
  write(process.stdout, [
    view.paint("bold", `${said} workspace ${cleanLine(name)}`),
    ...(isWorkTreeRemoved ? labelled(view, "removed", cleanLine(workTree)) : []),
    ...(tasks.length === 0
      ? []
      : labelled(view, "", cleanLine(`${count(tasks.length, "task")}: ${tasks.join(" ")}`))),
    ...(snapshot === undefined
      ? []
      : labelled(view, "kept", `what was not committed: ${cleanLine(snapshot)}`)),
    ...(keptBranch === undefined
      ? []
      : labelled(view, "kept", `the branch, merged nowhere: ${cleanLine(keptBranch)}`)),
    ...(bundle === undefined ? [] : labelled(view, "in", cleanLine(bundle))),
    ...(ignored === undefined
      ? []
      : labelled(view, "kept", `what was ignored: ${cleanLine(ignored)}`)),
    ...warnings.flatMap((warning) => labelled(view, "warning", cleanLine(warning), "yellow")),
    ...nextLines(waysBack(ended), view),
  ]);
  return EXIT.ok;
}

/** Commands that show what was kept, or bring it back as branches. */
function waysBack({
  name,
  repoPath,
  snapshot,
  ignored,
  keptBranch,
  bundle,
}: Ended): readonly string[] {
  const look = ignored === undefined ? [] : [`ls -R ${shellWord(ignored)}`];
  if (bundle === undefined)
    return [...(snapshot === undefined ? [] : [`git show ${shellWord(snapshot)}`]), ...look];
  const fetch = `git -C ${shellWord(repoPath)} fetch ${shellWord(bundle)}`;
  const back = (ref: string, branch: string): string => `${fetch} ${shellWord(`${ref}:${branch}`)}`;
  const ways = [
    ...(keptBranch === undefined ? [] : [back(keptBranch, keptBranch)]),
    ...(snapshot === undefined ? [] : [back(snapshot, `refs/heads/${name}-uncommitted`)]),
  ];
  return [...(ways.length > 0 ? ways : [`git bundle list-heads ${shellWord(bundle)}`]), ...look];
}
