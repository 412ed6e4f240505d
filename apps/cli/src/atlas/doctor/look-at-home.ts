import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { isTerminal } from "@quasar/hookfile";
import { listTasks } from "@quasar/tasks";
import { listWorkspaces } from "@quasar/tasks/workspaces";
import type { Finding } from "../../shared/doctor/finding.ts";
import { tried } from "../../shared/doctor/tried.ts";
import type { Installation } from "../installation.ts";
import { BACKUP, keyFacts, MASTER } from "../key-facts.ts";
import { nextWithoutTree } from "../lost-tree.ts";
import { translate } from "../translate.ts";
import { keyFinding, type OpenPath, openKeyFindings } from "./keys.ts";
import { taskFindings, workspaceFindings, type WorkspaceFacts } from "./tasks.ts";

/** Looks at what `atlas` keeps of all repositories: keys, workspaces, tasks. Changes nothing. */
export async function lookAtHome({ home, keys }: Installation): Promise<readonly Finding[]> {
  const looks = [
    tried("keys", translate, () => {
      const open = openPaths(keys.dir);
      return open.length > 0 ? openKeyFindings(open) : [keyFinding(keyFacts(keys), keys.dir)];
    }),
    tried("tasks", translate, () => lookAtTasks(home)),
  ];
  const seen = await Promise.all(looks);
  return seen.flatMap(({ value = [], findings }) => [...value, ...findings]);
}

function lookAtTasks(home: string): readonly Finding[] {
  // What cannot be read may continue.
  const tasks = listTasks(home).filter(({ hook }) => hook === undefined || !isTerminal(hook.state));
  const workspaces = listWorkspaces(home).flatMap(
    ({ name, dir, ...found }): readonly WorkspaceFacts[] => {
      if (found.kind === "damaged") {
        const { problem } = found;
        return [{ name, dir, problem, worktreePath: "", isTreeThere: true, waysBack: [] }];
      }
      const { status, worktreePath } = found.workspace;
      if (status !== "active" && status !== "paused") return [];
      const hook = tasks.find((task) => task.workspaceId === name)?.hook;
      const waysBack = hook === undefined ? [] : (nextWithoutTree(hook, ` ${name}`) ?? []);
      const isTreeThere = existsSync(worktreePath);
      return [{ name, dir, problem: undefined, worktreePath, isTreeThere, waysBack }];
    },
  );
  return [...workspaceFindings(workspaces), ...taskFindings(tasks)];
}

/** Of the private key, its copy and their folder, those that others can reach. */
function openPaths(dir: string): readonly OpenPath[] {
  return [dir, join(dir, MASTER), join(dir, BACKUP)].flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & 0o077) === 0) return [];
    return [{ path, mode: stat.mode & 0o777, isFolder: stat.isDirectory() }];
  });
}
