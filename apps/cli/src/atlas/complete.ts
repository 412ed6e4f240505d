import { complete as completeIn } from "../shared/completion/complete.ts";
import type { Completable } from "../shared/completion/flags.ts";
import { SHELLS } from "../shared/completion/shells.ts";
import { type FindValues, words } from "../shared/completion/values.ts";
import { COMMANDS, FAMILIES } from "./commands.ts";
import { SETTINGS } from "./config/settings.ts";

const finding = () => import("./completion/find-tasks.ts");
const findTasks: FindValues = async (typed) => (await finding()).findTasks(typed);
const findTasksAndTurns: FindValues = async (typed) => (await finding()).findTasksAndTurns(typed);
const findTurns: FindValues = async (typed, [task]) => (await finding()).findTurns(typed, task);
const findWorkspaces: FindValues = async (typed) => (await finding()).findWorkspaces(typed);
const findTemplates: FindValues = async () =>
  (await import("./completion/find-templates.ts")).findTemplates();

const findAgents: FindValues = async () =>
  (await import("./completion/find-agents.ts")).findAgents();

/** What of `atlas` can be completed. */
export const ATLAS: Completable = {
  families: FAMILIES,
  commands: COMMANDS,
  settings: SETTINGS,
  values: {
    file: "files",
    folder: "files",
    path: "files",
    shell: words(...Object.keys(SHELLS)),
    agent: findAgents,
    task: findTasks,
    "task-or-commit": findTasks,
    "show task": findTasksAndTurns,
    turn: findTurns,
    "start task": [], // what to do, in words
    "workspace close name": findWorkspaces,
    "workspace destroy name": findWorkspaces,
    "templates name": findTemplates,
    "--template": findTemplates,
    action: words("resume", "retry", "skip", "approve", "reject", "abandon"),
    "hook export --format": words("json", "md"),
    "keys export --format": words("ssh", "allowed-signers", "pem", "minisign"),
  },
};

/** `atlas complete -- <words…>` */
export function complete(args: readonly string[]): Promise<void> {
  return completeIn(ATLAS, args);
}
