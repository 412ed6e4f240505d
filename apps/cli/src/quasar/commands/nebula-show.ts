import { listRefs } from "@quasar/git/snapshots";
import { findNebula, NebulaError, type NebulaState } from "@quasar/nebula";
import { standingOf } from "@quasar/nebula/facts";
import {
  bringBackCommand,
  DEFAULT_WORKERS,
  earlierText,
  keptSpec,
  nebulaCost,
  nebulaHome,
  nebulaNow,
  noPhase,
  refsOf,
} from "@quasar/nebula/internal";
import { planNebula } from "@quasar/nebula/plan";
import type { Workspace } from "@quasar/runs";
import { openWorkspace, suggestion } from "@quasar/runs/internal";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { section } from "../../shared/output/section.ts";
import { nextLines } from "../../shared/output/text.ts";
import { withRemark } from "../../shared/remark.ts";
import { phaseSettingsFacts } from "../facts/nebula.ts";
import { nebulaFacts } from "../facts/nebula-apply.ts";
import { aroundOf } from "../nebula/next.ts";
import { answer, stepsOfNebula, stepsOfPhase } from "../nebula/outcome.ts";
import { showStep } from "../nebula/show-step.ts";
import { failedVerifications, outputFiles } from "../nebula/output-files.ts";
import { attemptsOf, changesOf } from "../nebula/phase-facts.ts";
import { attemptWhy, nebulaLines, phaseLines } from "../nebula/show-lines.ts";
import { reasonOf } from "../nebula/standing.ts";
import { settingsIn, userSettings } from "../nebula/user-settings.ts";
import type { NebulaPhaseLine, NebulaShowLine } from "../schemas/nebula-show.ts";

export interface NebulaShowOptions {
  readonly json?: true | undefined;
}

/** `quasar nebula show`: what a nebula is, or all that is known of one of its phases. */
export async function nebulaShowCommand(
  named: string | undefined,
  phase: string | undefined,
  { json }: NebulaShowOptions,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const { state, id } = meant(workspace, named, phase);
  await (id === undefined
    ? showNebula(workspace, state, json)
    : showPhase(workspace, state, id, json));
  return EXIT.ok;
}

interface Meant {
  readonly state: NebulaState;
  /** The phase; `undefined`: the nebula as a whole. */
  readonly id: string | undefined;
}

/** One name alone is a nebula's, or else a phase's of the one that is meant without a name. */
function meant(
  { repositoryId }: Workspace,
  named: string | undefined,
  phase: string | undefined,
): Meant {
  try {
    return { state: findNebula(repositoryId, named), id: phase };
  } catch (error) {
    const isUnknown = error instanceof NebulaError && error.code === "ERR_NOT_FOUND";
    if (!isUnknown || named === undefined || phase !== undefined) throw error;
    const state = unnamed(repositoryId);
    if (state?.phases.some(({ id }) => id === named) === true) return { state, id: named };
    const ids = state?.phases.map(({ id }) => id) ?? [];
    throw state !== undefined && suggestion(named, ids) !== "" ? noPhase(state, named) : error;
  }
}

function unnamed(repositoryId: string): NebulaState | undefined {
  try {
    return findNebula(repositoryId, undefined);
  } catch {
    return undefined;
  }
}

async function showNebula(
  workspace: Workspace,
  state: NebulaState,
  json: true | undefined,
): Promise<void> {
  const { repositoryId } = workspace;
  const spec = keptSpec(repositoryId, state);
  const { execution, context } = spec;
  const now = await nebulaNow(repositoryId, state);
  const cost = await nebulaCost(repositoryId, state);
  const around = await aroundOf(workspace, state, { cost });
  const { phases, ...facts } = nebulaFacts(state, cost, now, around);
  const specs = new Map(spec.phases.map((each) => [each.id, each]));
  const shown = {
    ...facts,
    description: spec.description,
    goals: context.goals,
    constraints: context.constraints,
    startedAt: state.createdAt,
    specRevision: state.revision,
    maxWorkers: execution.maxWorkers ?? DEFAULT_WORKERS,
    mergeOrder: execution.mergeOrder,
    verify: execution.verify,
    phases: phases.map((each) => {
      const { file = "", title = "", dependsOn = [] } = specs.get(each.phaseId) ?? {};
      return { ...each, file, title, dependsOn };
    }),
  };
  const [first] = state.phases;
  const steps = [
    ...(first === undefined ? [] : [showStep(first.id, state.id)]),
    ...stepsOfNebula(state, now, around),
  ];
  // Of a phase that failed or waits both advise the same.
  const next = [...new Set(steps)];
  if (json === true) {
    const line = result("nebula_show", shown, EXIT.ok, next) satisfies NebulaShowLine;
    process.stdout.write(jsonLine(line));
    return;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [...nebulaLines(shown, view), ...section(nextLines(next, view))]);
}

/** What brings back uncommitted work that was replaced in the work tree of a phase. */
async function keptSteps(
  root: string,
  { id }: NebulaState,
  { ref: phaseRef }: NebulaState["phases"][number],
): Promise<readonly string[]> {
  const refs = await listRefs(root, refsOf(id).left(phaseRef));
  return refs.map(({ ref }) =>
    withRemark(bringBackCommand(ref), "was uncommitted in its work tree"),
  );
}

async function showPhase(
  workspace: Workspace,
  state: NebulaState,
  id: string,
  json: true | undefined,
): Promise<void> {
  const { repositoryId, root } = workspace;
  const phase = state.phases.find((each) => each.id === id);
  const now = await nebulaNow(repositoryId, state);
  const settings = settingsIn(workspace);
  const cost = await nebulaCost(repositoryId, state);
  const around = await aroundOf(workspace, state, { cost, settings });
  const nebula = nebulaFacts(state, cost, now, around);
  const facts = nebula.phases.find(({ phaseId }) => phaseId === id);
  const user = userSettings(settings);
  const plan = planNebula(keptSpec(repositoryId, state), { user, hasSubmodules: false });
  const planned = plan.phases.find((each) => each.phase.id === id);
  if (phase === undefined || facts === undefined || planned === undefined) {
    throw noPhase(state, id);
  }
  const { question, findings, runId } = phase;
  const { runs, task, warnings, events } = await attemptsOf(workspace, state, phase, facts);
  const { body } = planned.phase;
  const earlier =
    task === undefined ? undefined : earlierText(repositoryId, state, { phase: id, task });
  const shown = {
    ...{ nebulaId: state.id, nebula: state.name },
    ...facts,
    ...phaseSettingsFacts(planned),
    ...{ text: earlier ?? body, nextText: earlier === undefined ? undefined : body },
    ...{ question, reasons: findings },
    files: await changesOf(root, phase),
    runs,
    warnings,
  };
  const next = [
    ...(phase.question === "budget"
      ? stepsOfNebula(state, now, around)
      : stepsOfPhase(state, phase, now, around)),
    ...(await keptSteps(root, state, phase)),
    ...(shown.runs.some((run) => run.runId === runId && run.status !== undefined)
      ? [`quasar show ${runId}`]
      : []),
    ...(phase.tip === "" || phase.base === "" ? [] : [answer("diff", id, state.id)]),
  ];
  if (json === true) {
    const line = result("nebula_phase", shown, EXIT.ok, next) satisfies NebulaPhaseLine;
    process.stdout.write(jsonLine(line));
    return;
  }
  const view = viewOf(process.stdout);
  const because = reasonOf(facts, nebula);
  const { before, last } = failedVerifications(events);
  const texts = new Map([
    ...[because, ...findings].map((text) => [text, last] as const),
    ...runs.flatMap(({ attempt, reasons }) =>
      reasons.map((reason) => [attemptWhy(attempt, reason), before.get(attempt)] as const),
    ),
  ]);
  const outputs = outputFiles(nebulaHome(repositoryId, state.id).receipts, texts);
  const how = { standing: standingOf(facts, nebula), because, outputs };
  write(process.stdout, [
    ...phaseLines({ ...shown, ...how }, view),
    ...section(nextLines(next, view)),
  ]);
}
