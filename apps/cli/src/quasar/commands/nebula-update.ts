import { type NebulaState, findNebula, listNebulae, unfinishedOf } from "@quasar/nebula";
import { nebulaHome, planUpdate, takesAnything, updateNebula } from "@quasar/nebula/internal";
import { loadNebula } from "@quasar/nebula/spec";
import type { Workspace } from "@quasar/runs";
import { openUser, openWorkspace } from "@quasar/runs/internal";
import { cleanLine, fit, jsonLine, shellWord } from "@quasar/runs/text";
import { existsSync } from "node:fs";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import { withRemark } from "../../shared/remark.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import { askNebulaTrust } from "../nebula/trust.ts";
import { skipSteps, updateLines } from "../nebula/update-lines.ts";
import { workspaceOfNebula } from "../nebula/repository.ts";
import { nextOf } from "../nebula/next.ts";
import type { NebulaUpdateLine } from "../schemas/nebula-care.ts";

export interface NebulaUpdateOptions {
  readonly nebula?: string | undefined;
  readonly dryRun?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula update`: has a nebula that has begun take over what its folder says now. */
export async function nebulaUpdateCommand(
  dir: string,
  { nebula, dryRun, trustConfig, json }: NebulaUpdateOptions,
): Promise<ExitCode> {
  refuseAgents("update");
  if (!existsSync(dir)) throw await noFolder(dir);
  const loaded = loadNebula(dir);
  if (loaded.spec === undefined) {
    throw new CliError("ERR_NEBULA", `${cleanLine(dir)} is no valid nebula`, {
      next: [`quasar nebula validate ${shellWord(dir)}`],
    });
  }
  const workspace = await workspaceOfNebula(loaded.dir, process.cwd());
  const { repositoryId, root } = workspace;
  const state =
    nebula === undefined
      ? (unfinishedOf(repositoryId, loaded.dir) ?? byName(repositoryId, loaded.spec.name))
      : findNebula(repositoryId, nebula);
  const isDryRun = dryRun === true;
  const planned = planUpdate(nebulaHome(repositoryId, state.id), state, loaded);
  const { updates, isChanged, settings } = planned;
  const isSame = !takesAnything(planned);
  let taken: "done" | "left" | undefined;
  if (!isSame && !isDryRun) {
    const stateDir = openUser().folders.state;
    await askNebulaTrust(planned.spec, { root, stateDir, trust: trustConfig === true });
    taken = updateNebula(repositoryId, state, loaded);
  }
  const next = isSame
    ? skipSteps(state, updates)
    : await stepsAfter(workspace, state, { taken, dir });
  if (json === true) {
    const phases = updates.map(({ phase: phaseId, what }) => ({ phaseId, what }));
    const facts = {
      ...{ nebulaId: state.id, nebula: state.name, dryRun: isDryRun, isChanged, phases },
      changedSettings: settings.map(({ key, before: valueBefore, now: valueNow }) => ({
        ...{ key, valueBefore, valueNow },
      })),
      isTaken: taken === "done",
    };
    const line = result("nebula_update", facts, EXIT.ok, next) satisfies NebulaUpdateLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const name = fit(cleanLine(state.name), 40);
  write(process.stdout, [
    `nebula ${name} ${whatHappens({ isSame, isDryRun, taken, hasLines: updates.length > 0 })}`,
    ...updateLines(planned, view),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

function whatHappens({
  isSame,
  isDryRun,
  taken,
  hasLines,
}: {
  readonly isSame: boolean;
  readonly isDryRun: boolean;
  readonly taken: "done" | "left" | undefined;
  readonly hasLines: boolean;
}): string {
  if (isSame) return hasLines ? "takes nothing of it over:" : "has all of it already";
  if (taken === "left") return "changes (its engine takes it within a second):";
  return isDryRun ? "would change:" : "changes:";
}

async function stepsAfter(
  workspace: Workspace,
  { id }: NebulaState,
  { taken, dir }: { readonly taken: "done" | "left" | undefined; readonly dir: string },
): Promise<readonly string[]> {
  if (taken === undefined) return [`quasar nebula update ${shellWord(dir)}`];
  if (taken === "left") return [`quasar nebula show ${id}`];
  return nextOf(workspace, findNebula(workspace.repositoryId, id));
}

/** Why what was named is no folder of a nebula. @throws {NebulaError} `ERR_NOT_FOUND` where it is no name either. */
async function noFolder(named: string): Promise<CliError> {
  const { repositoryId } = await openWorkspace(process.cwd());
  const { name, dir } = findNebula(repositoryId, named);
  const [word, nebula] = [cleanLine(named), fit(cleanLine(name), 40)];
  if (!existsSync(dir)) {
    return new CliError("ERR_USAGE", `the folder of the nebula ${nebula} is gone`, {
      next: [withRemark("quasar nebula update DIR", "where it is now")],
    });
  }
  return new CliError("ERR_USAGE", `${word} is no folder: the nebula ${nebula} has another one`, {
    next: [`quasar nebula update ${shellWord(dir)}`],
  });
}

/** Where the folder was moved, or is another copy. */
function byName(repositoryId: string, name: string): NebulaState {
  const found = listNebulae(repositoryId).find((each) => each.name === name);
  return findNebula(repositoryId, found?.id ?? name);
}
