import { openRepository } from "@quasar/git";
import { checkSigning } from "@quasar/git/setup";
import { makeOwnFolder } from "@quasar/runs/own-folder";
import { cleanLine } from "@quasar/runs/text";
import { discoverCommands, prepareTask, resolveTemplate } from "@quasar/tasks";
import { createAgents, withAbsoluteScripts } from "../../shared/agents.ts";
import { requireRunnable } from "../../shared/checks/runnable.ts";
import { loadTrusted } from "../../shared/config/trust.ts";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { readTask } from "../../shared/task.ts";
import type { Given } from "../command.ts";
import { loadConfig, loadTemplates } from "../config/load.ts";
import { requireTrustInScripts } from "../scripts-trust.ts";
import { taskConfig, validationConfig } from "../config/task-config.ts";
import { drive, OTHER_WAYS } from "../drive.ts";
import { openInstallation } from "../installation.ts";

/** `atlas start`: puts a task down and takes it through its steps. */
export async function startCommand(argument: string | undefined, given: Given): Promise<ExitCode> {
  const { file, fromTask, flags } = given;
  const cwd = process.cwd();
  const isSaid = argument !== undefined || file !== undefined;
  const description =
    fromTask !== undefined && !isSaid
      ? ""
      : await readTask({ argument, file, cwd, stdin: process.stdin, command: "atlas start" });
  const installation = openInstallation();
  const { home, env, keys, now, version } = installation;
  const { root } = await openRepository(cwd);
  const trust = given.trustConfig === true;
  const loaded = await loadTrusted(trust, (isTrusted) =>
    loadConfig({ flags, env, cwd, root, home, trust: isTrusted }),
  );
  const settings = withAbsoluteScripts(loaded.settings, cwd);
  const template = resolveTemplate(settings.template, loadTemplates(settings));
  const variables = variablesOf(given.var ?? []);
  // What is wrong with the agents is reported before anything is touched.
  createAgents(settings, OTHER_WAYS);
  const validation = discoverCommands(root, { config: validationConfig(settings) });
  await loadTrusted(trust, (isTrusted) => requireTrustInScripts(validation, root, home, isTrusted));
  requireRunnable(
    validation.commands.map(({ command }) => command),
    { workTree: root, searchPath: env["PATH"] ?? "" },
  );
  await checkSigning(root);

  const warnings = [...loaded.warnings];
  makeOwnFolder(home);
  const { taskDir } = await prepareTask({
    home,
    cwd,
    description,
    template,
    variables,
    workspaceName: given.workspace,
    redact: installation.redact,
    here: given.here,
    acceptDirty: given.acceptDirty,
    useLocal: given.useLocal,
    base: settings.baseBranch === "" ? undefined : settings.baseBranch,
    fromTask,
    config: taskConfig(settings, validation),
    keys,
    now,
    version,
    onWarning: (message) => warnings.push(message),
  });
  const json = given.json === true;
  return drive({ installation, taskDir, settings, json, warnings, isNew: true });
}

/** @throws {CliError} `ERR_USAGE` */
function variablesOf(said: readonly string[]): Readonly<Record<string, string>> {
  const entries = said.map((text) => {
    const [, name, value] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name, value] as const;
    throw new CliError("ERR_USAGE", `--var must be name=value, not ${cleanLine(text)}`);
  });
  return Object.fromEntries(entries);
}
