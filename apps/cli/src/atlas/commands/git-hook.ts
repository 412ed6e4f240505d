import { isTerminal } from "@quasar/hookfile";
import { installGitHook, uninstallGitHook } from "@quasar/hookfile/git-hook";
import { cleanLine, count, jsonLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { loadConfig } from "../config/load.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import type { GitHookLine } from "../schemas/hook.ts";

/** `atlas hook install`: has git tell the task of commits. */
export async function hookInstallCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir, hook } = await openMeant(installation, id);
  if (isTerminal(hook.state)) {
    const message = `task ${hook.taskId} is ${hook.state}: it needs no git hook`;
    throw new CliError("ERR_NOT_AWAITED", message, { next: ["atlas list"] });
  }
  const { env, home, atlas } = installation;
  const options = { flags: given.flags, env, cwd: process.cwd(), root: undefined, home };
  const { gitHooks } = loadConfig({ ...options, trust: false }).settings;
  const installed = await installGitHook(hook.worktreePath, {
    taskDir: dir,
    command: atlas,
    mode: gitHooks,
  });
  const next = installed.kind === "printed" ? [`put this into it: ${installed.line}`] : [];
  if (given.json === true) {
    const line = { taskId: hook.taskId, ...installed };
    const printed = result("git_hook", line, EXIT.ok, next) satisfies GitHookLine;
    process.stdout.write(jsonLine(printed));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...labelled(view, "git hook", installedText(installed)),
    ...(installed.kind === "off" ? [] : labelled(view, "", cleanLine(installed.path))),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

type Installed = Awaited<ReturnType<typeof installGitHook>>;
type Removed = Awaited<ReturnType<typeof uninstallGitHook>>;

function removedFacts(removed: Removed) {
  if (removed.kind !== "kept") return removed;
  const { kind, tasks: taskCount } = removed;
  return { kind, taskCount };
}

function installedText(installed: Installed): string {
  switch (installed.kind) {
    case "off":
      return 'not wanted by the settings (git_hooks = "off")';
    case "present":
      return "there already";
    case "installed":
      return `installed (${installed.how})`;
    case "printed":
      return `not changed: ${OBSTACLES[installed.reason]}`;
  }
}

const OBSTACLES: Readonly<Record<Extract<Installed, { kind: "printed" }>["reason"], string>> = {
  asked: "only its line was asked for",
  outside: "git looks for hooks in a folder that is not this repository's",
  "not-writable": "the folder cannot be written",
  "not-a-file": "what is there is no file of its own",
  "not-a-shell-script": "what is there is no script of sh, dash or bash",
  "not-executable": "what is there is not executable: git passes it over",
  managed: "husky, lefthook or pre-commit looks after the folder",
  "damaged-block": "its Atlas lines were edited",
};

/** `atlas hook uninstall`: takes it out, as far as no other task of the repository needs it. */
export async function hookUninstallCommand(
  id: string | undefined,
  given: Given,
): Promise<ExitCode> {
  const { dir, hook } = await openMeant(openInstallation(), id);
  const removed = await uninstallGitHook(hook.worktreePath, { taskDir: dir });
  if (given.json === true) {
    const line = { taskId: hook.taskId, ...removedFacts(removed) };
    const printed = result("git_hook", line, EXIT.ok) satisfies GitHookLine;
    process.stdout.write(jsonLine(printed));
    return EXIT.ok;
  }
  write(process.stdout, labelled(viewOf(process.stdout), "git hook", removedText(removed)));
  return EXIT.ok;
}

function removedText(removed: Awaited<ReturnType<typeof uninstallGitHook>>): string {
  switch (removed.kind) {
    case "kept":
      return `kept for ${count(removed.tasks, "other task")} of the repository`;
    case "absent":
      return "no Atlas hook was installed";
    case "removed":
      return `${removed.what === "file" ? "removed" : "our lines are taken out"}: ${cleanLine(removed.path)}`;
    case "left":
      return `left for you (${removed.reason}): take our lines out of ${cleanLine(removed.path)}`;
  }
}
