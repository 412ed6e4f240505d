import { type NebulaState, findNebula, listNebulae, unfinishedOf } from "@quasar/nebula";
import { type NebulaUpdate, updateNebula } from "@quasar/nebula/internal";
import { loadNebula } from "@quasar/nebula/spec";
import { cleanLine, fit, jsonLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import { workspaceOfNebula } from "../nebula/repository.ts";
import { resumeOf } from "../nebula/outcome.ts";
import type { NebulaUpdateLine } from "../schemas/nebula-care.ts";

export interface NebulaUpdateOptions {
  readonly nebula?: string | undefined;
  readonly dryRun?: true | undefined;
  readonly json?: true | undefined;
}

const WHAT: Readonly<Record<NebulaUpdate["updates"][number]["what"], string>> = {
  added: "joins",
  edited: "takes its new text",
  kept: "has begun: its text stays as it was",
  gone: "has no file any more, and stays (quasar nebula skip)",
};

/** `quasar nebula update`: has a nebula that has begun take over what its folder says now. */
export async function nebulaUpdateCommand(
  dir: string,
  { nebula, dryRun, json }: NebulaUpdateOptions,
): Promise<ExitCode> {
  refuseAgents("update");
  const loaded = loadNebula(dir);
  if (loaded.spec === undefined) {
    throw new CliError("ERR_NEBULA", `${cleanLine(dir)} is no valid nebula`, {
      next: [`quasar nebula validate ${shellWord(dir)}`],
    });
  }
  const { repositoryId } = await workspaceOfNebula(loaded.dir, process.cwd());
  const state =
    nebula === undefined
      ? (unfinishedOf(repositoryId, loaded.dir) ?? byName(repositoryId, loaded.spec.name))
      : findNebula(repositoryId, nebula);
  const isDryRun = dryRun === true;
  const { updates, isChanged } = updateNebula(repositoryId, state, loaded, { isDryRun });
  const isSame = updates.length === 0 && !isChanged;
  const next = isSame
    ? []
    : isDryRun
      ? [`quasar nebula update ${shellWord(dir)}`]
      : [resumeOf(state)];
  if (json === true) {
    const phases = updates.map(({ phase: phaseId, what }) => ({ phaseId, what }));
    const facts = { nebulaId: state.id, nebula: state.name, dryRun: isDryRun, isChanged, phases };
    const line = result("nebula_update", facts, EXIT.ok, next) satisfies NebulaUpdateLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const name = fit(cleanLine(state.name), 40);
  write(process.stdout, [
    isSame
      ? `nebula ${name} has all of it already`
      : `nebula ${name}${isDryRun ? " would change" : ""}:`,
    ...(isChanged ? labelled(view, "settings", "those of nebula.toml as it is now") : []),
    ...updates.flatMap(({ phase, what }) => labelled(view, fit(cleanLine(phase), 16), WHAT[what])),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

/** Where the folder was moved, or is another copy. */
function byName(repositoryId: string, name: string): NebulaState {
  const found = listNebulae(repositoryId).find((each) => each.name === name);
  return findNebula(repositoryId, found?.id ?? name);
}
