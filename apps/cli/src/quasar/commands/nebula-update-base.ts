import { currentHead } from "@quasar/git";
import { isAncestor, refSha, resolveCommit } from "@quasar/git/history";
import { findNebula, type NebulaState } from "@quasar/nebula";
import { type BaseUpdate, chooseNebula, keptSpec, updateBase } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { openUser, openWorkspace, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, fit, jsonLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import { nextOf } from "../nebula/next.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import { askNebulaTrust } from "../nebula/trust.ts";
import type { NebulaUpdateBaseLine } from "../schemas/nebula-care.ts";
import { workOnNebula } from "../nebula/work-on-nebula.ts";

export interface NebulaUpdateBaseOptions {
  readonly nebula?: string | undefined;
  readonly withAgent?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula update-base`: merges a commit of the base branch into a nebula's branch, as a phase of its own. */
export async function nebulaUpdateBaseCommand(
  named: string | undefined,
  { nebula, withAgent, trustConfig, json }: NebulaUpdateBaseOptions,
): Promise<ExitCode> {
  refuseAgents("update-base");
  const workspace = await openWorkspace(process.cwd());
  const commitWord = named === undefined ? "" : ` ${shellWord(named)}`;
  const state = chooseNebula(workspace.repositoryId, nebula, {
    step: (id) => `quasar nebula update-base${commitWord} --nebula ${id}`,
  });
  const commit = await (named === undefined
    ? headOf(workspace, state)
    : namedCommit(workspace, named));
  await requireNew(workspace, state, commit);
  // What verifies it is asked about before anything is recorded.
  const trust = { stateDir: openUser().folders.state, trust: trustConfig === true };
  await askNebulaTrust(keptSpec(workspace.repositoryId, state), { root: workspace.root, ...trust });
  const update: BaseUpdate = { ...commit, withAgent: withAgent === true };
  const updated = await updateBase(repositoryOf(workspace), state, update);
  if (updated.kind === "done") {
    const resumed = findNebula(workspace.repositoryId, state.id);
    const options = { flags: {}, auto: true, trustConfig, json } as const;
    const { phase } = updated;
    return workOnNebula(state.id, { workspace, loaded: undefined, resumed }, options, { phase });
  }
  report(state, update, json);
  return EXIT.ok;
}

type Named = Pick<BaseUpdate, "commit" | "name">;

async function namedCommit({ root }: Workspace, named: string): Promise<Named> {
  const commit = await resolveCommit(root, named);
  if (commit !== undefined) return { commit, name: named };
  throw new CliError("ERR_USAGE", `there is no commit ${cleanLine(named)}`, {
    next: ["git branch --list"],
  });
}

/** HEAD of the user's work tree. One that has nothing to do with the nebula is not meant. */
async function headOf({ root }: Workspace, { base, branch: own }: NebulaState): Promise<Named> {
  const { head: commit, branch = "HEAD" } = await currentHead(root);
  const isMeant = branch !== own && (await isAncestor(root, base, commit));
  if (isMeant) return { commit, name: branch };
  const why = branch === own ? "is the nebula's own branch" : "does not contain its base";
  throw new CliError("ERR_BRANCH", `${cleanLine(branch)} ${why}: name what is to be merged`, {
    next: [`git branch --contains ${base.slice(0, 10)}`],
  });
}

/** @throws {CliError} `ERR_NOTHING_TO_RESUME` where the branch has the commit already. */
async function requireNew(
  workspace: Workspace,
  state: NebulaState,
  { commit, name }: Named,
): Promise<void> {
  const { root } = workspace;
  const tip = await refSha(root, `refs/heads/${state.branch}`);
  if (tip === undefined || !(await isAncestor(root, commit, tip))) return;
  const what = `${fit(cleanLine(name), 40)} (${commit.slice(0, 10)})`;
  const next = await nextOf(workspace, state);
  throw new CliError("ERR_NOTHING_TO_RESUME", `${cleanLine(state.branch)} has all of ${what}`, {
    next,
  });
}

function report(
  { id: nebulaId, name: nebula }: NebulaState,
  { commit: sha, name: mergedFrom, withAgent }: BaseUpdate,
  json: true | undefined,
): void {
  const next = [`quasar nebula status ${nebulaId}`];
  if (json === true) {
    const facts = { nebulaId, nebula, sha, mergedFrom, withAgent };
    const line = result("nebula_update_base", facts, EXIT.ok, next) satisfies NebulaUpdateBaseLine;
    process.stdout.write(jsonLine(line));
    return;
  }
  const what = `${fit(cleanLine(mergedFrom), 40)} (${sha.slice(0, 10)})`;
  write(process.stdout, [
    `nebula ${cleanLine(nebula)} merges ${what} (its engine takes it within a second)`,
    ...nextLines(next, viewOf(process.stdout)),
  ]);
}
