import { currentGitSha, currentHead } from "@quasar/git";
import { filesAt } from "@quasar/git/internal";
import { NebulaError, type NebulaState } from "@quasar/nebula";
import {
  branchOf,
  type Edited,
  editedSince,
  estimateCost,
  keptSpec,
  nebulaCost,
  nebulaNow,
  pastPhases,
  takesAnything,
} from "@quasar/nebula/internal";
import { type NebulaPlan, planNebula } from "@quasar/nebula/plan";
import { type LoadedNebula, type NebulaSpec, type TrustRequest } from "@quasar/nebula/spec";
import type { Workspace } from "@quasar/runs";
import { cleanLine, jsonLine, shellWord } from "@quasar/runs/text";
import { readSpec, unknownAgent } from "../../shared/config/agent-spec.ts";
import type { OwnAgents } from "../../shared/config/own-agents.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { section } from "../../shared/output/section.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { type NebulaBase, nebulaPlanFacts } from "../facts/nebula.ts";
import { beginSteps } from "../nebula/begin-steps.ts";
import { firstTurnShortages } from "../nebula/first-turns.ts";
import { missingCopies } from "../nebula/missing-copies.ts";
import { aroundOf } from "../nebula/next.ts";
import { stepsOfNebula } from "../nebula/outcome.ts";
import { phaseOptions, planner } from "../nebula/phase-options.ts";
import { planLines } from "../nebula/plan-lines.ts";
import { meantByPlan } from "../nebula/plan-meant.ts";
import { planResume, resumeLines } from "../nebula/resume-plan.ts";
import { obstacleLines } from "../nebula/state-lines.ts";
import { skipSteps, updateLines } from "../nebula/update-lines.ts";
import { uncommittedBeside } from "../nebula/uncommitted.ts";
import { settingsIn, userSettings } from "../nebula/user-settings.ts";
import { validSpec } from "../nebula/valid-spec.ts";
import type { NebulaPlanLine } from "../schemas/nebula.ts";

/**
 * `quasar nebula plan`: what working on a nebula would mean; of one that has begun, what a resume would do. It changes
 * nothing, and asks for no yes.
 */
export async function nebulaPlanCommand(
  named: string,
  { json }: { readonly json?: true | undefined },
): Promise<ExitCode> {
  const { workspace, loaded, begun } = await meantByPlan(named);
  const { repositoryId, root } = workspace;
  const spec =
    begun === undefined
      ? validSpec(loaded, named)
      : withoutMerges(keptSpec(repositoryId, begun), begun);
  const { dir, problems } = loaded ?? { dir: begun?.dir ?? named, problems: [] };
  const base = begun === undefined ? await baseOf(workspace, spec, dir) : baseOfBegun(begun);
  const files = await filesAt(root, base.baseSha, [".gitmodules"]);
  const settings = settingsIn(workspace);
  const plan = planNebula(spec, { user: userSettings(settings), hasSubmodules: files.size > 0 });
  requireAgents(plan.asks, settings.ownAgents);
  const optionsOf = phaseOptions(settings, planner(settings));
  const short = await firstTurnShortages(spec, unbegun(plan, begun), {
    ...{ root: workspace.root, baseSha: base.baseSha },
    optionsOf: (phase) => optionsOf(phase, spec),
  });
  const resuming = begun && (await resumeOf(workspace, { state: begun, spec, loaded }));
  // Of one that has begun a part is paid for.
  const estimate =
    begun === undefined ? estimateCost(plan.phases, await pastPhases(repositoryId)) : undefined;
  const spent = resuming?.cost.total;
  const { branch } = base;
  const missing = missingCopies(spec, root);
  const next = resuming?.next ?? (await beginSteps(workspace, { spec, dir, named, branch }));
  if (json === true) {
    const facts = nebulaPlanFacts({ dir, problems }, spec, plan, {
      base,
      short,
      estimate,
      spent,
      missing,
    });
    const { nebulaId, pid, resume, edited, obstacles } = resuming ?? {};
    const isFolderChanged = resuming && edited !== undefined;
    const all = { ...facts, nebulaId, pid, resume, obstacles, isFolderChanged };
    const line = result("nebula_plan", all, EXIT.ok, next) satisfies NebulaPlanLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...(resuming?.edited === undefined ? [] : editedLines(resuming.edited, dir, view)),
    ...planLines(
      spec,
      // What it runs was asked about when it began, and is with each update.
      begun === undefined ? plan : { ...plan, asks: [] },
      { base, short, estimate, spent, missing, warnings: problems },
      view,
    ),
    ...(resuming === undefined ? [] : section(resumeLines(resuming.resume, view))),
    ...obstacleLines(resuming?.obstacles ?? [], view),
    ...(resuming?.pid === undefined ? [] : labelled(view, "now", WORKS, "yellow")),
    ...section(nextLines(next, view)),
  ]);
  return EXIT.ok;
}

const WORKS = "an engine works on it: this is what a resume would do if that ended now";

/** Stands before a plan that is not of the folder as it is now. */
function editedLines(edited: Edited, dir: string, view: View): readonly string[] {
  const update = `quasar nebula update ${shellWord(dir)}`;
  if (edited instanceof NebulaError) {
    const why = `its files have changed, and an update is refused: ${cleanLine(edited.message)}`;
    return [...labelled(view, "edited", why, "yellow"), PLAN_OF_COPY, ""];
  }
  if (!takesAnything(edited)) {
    const head = "its files have changed, and an update takes nothing of that over:";
    return [...labelled(view, "edited", head, "yellow"), ...updateLines(edited, view), ""];
  }
  const head = `its files have changed; ${update} takes that over:`;
  const lines = [...labelled(view, "edited", head, "yellow"), ...updateLines(edited, view)];
  return [...lines, PLAN_OF_COPY, ""];
}

const PLAN_OF_COPY = "Until then the nebula is worked on by its copy, which this plan is of:";

/** What only merges the base branch is no phase that anybody has planned. */
function withoutMerges(spec: NebulaSpec, { phases }: NebulaState): NebulaSpec {
  const merges = new Set(phases.filter((phase) => phase.merges !== "").map(({ id }) => id));
  return { ...spec, phases: spec.phases.filter(({ id }) => !merges.has(id)) };
}

/** A plan of the phases that have had no run: the others have begun their first turn. */
function unbegun(plan: NebulaPlan, begun: NebulaState | undefined): NebulaPlan {
  if (begun === undefined) return plan;
  const had = new Set(begun.phases.filter(({ runs }) => runs.length > 0).map(({ id }) => id));
  return { ...plan, phases: plan.phases.filter(({ phase }) => !had.has(phase.id)) };
}

async function resumeOf(
  workspace: Workspace,
  {
    state,
    spec,
    loaded,
  }: {
    readonly state: NebulaState;
    readonly spec: NebulaSpec;
    readonly loaded: LoadedNebula | undefined;
  },
) {
  const { repositoryId } = workspace;
  const now = await nebulaNow(repositoryId, state);
  const edited = editedSince(repositoryId, state, loaded);
  const cost = await nebulaCost(repositoryId, state);
  const around = await aroundOf(workspace, state, { cost });
  // This is the plan that a person is asked about.
  const steps = stepsOfNebula(state, now, around).filter(
    (step) => !step.startsWith("quasar nebula plan "),
  );
  return {
    nebulaId: state.id,
    pid: now.pid,
    cost,
    resume: await planResume(workspace, { state, spec, now, short: around.raising.shortages }),
    edited,
    obstacles: around.obstacles.map(({ message }) => message),
    next: [...editedSteps(state, edited), ...steps],
  };
}

/** What a person does about files that have changed; what stays as it is whatever they type has no step. */
function editedSteps(state: NebulaState, edited: Edited | undefined): readonly string[] {
  if (edited === undefined) return [];
  if (edited instanceof NebulaError || takesAnything(edited)) {
    return [`quasar nebula update ${shellWord(state.dir)} --dry-run`];
  }
  return skipSteps(state, edited.updates);
}

function baseOfBegun({ base: baseSha, branch }: NebulaState): NebulaBase {
  return { baseSha, baseBranch: undefined, branch, uncommittedCount: 0 };
}

async function baseOf({ root }: Workspace, { name }: NebulaSpec, dir: string): Promise<NebulaBase> {
  const { head, branch: baseBranch } = await currentHead(root);
  // Without a commit there is nothing to begin at, which the other call says.
  const baseSha = head === "" ? await currentGitSha(root) : head;
  const uncommittedCount = await uncommittedBeside(root, dir);
  return { baseSha, baseBranch, branch: branchOf(name), uncommittedCount };
}

/** Refuses a name that is no agent's here. @throws {CliError} `ERR_NEBULA` */
function requireAgents(asks: readonly TrustRequest[], own: OwnAgents): void {
  for (const { key, value, files } of asks) {
    const isAgent = key === "coder" || key === "reviewer";
    if (!isAgent || readSpec(value, own) !== undefined) continue;
    const where = `${cleanLine(files[0] ?? "")}: ${key}`;
    throw unknownAgent(where, value, own, { code: "ERR_NEBULA", next: ["quasar agents"] });
  }
}
