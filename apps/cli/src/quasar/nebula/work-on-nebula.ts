import {
  type ApplyEnd,
  applyNebula,
  type ApplyOptions,
  type EngineLimits,
  findNebula,
  NebulaError,
  type NebulaState,
  type StopReason,
  type Told,
} from "@quasar/nebula";
import {
  editedSince,
  keptSpec,
  type LandingsOnly,
  nebulaCost,
  nebulaNow,
  planWaits,
  progressOf,
  withTypedTotal,
} from "@quasar/nebula/internal";
import type { NebulaPlan } from "@quasar/nebula/plan";
import type { NebulaSpec } from "@quasar/nebula/spec";
import { createKeyManager } from "@quasar/receipts";
import type { Workspace } from "@quasar/runs";
import { openUser, repositoryOf, runNotification } from "@quasar/runs/internal";
import { money } from "@quasar/runs/text";
import { landedWords } from "@quasar/runs/words";
import { join } from "node:path";
import { withAbsoluteScripts } from "../../shared/agents.ts";
import { environmentOfChecks } from "../../shared/checks/environment.ts";
import { resolve } from "../../shared/config/layers.ts";
import type { Settings } from "../../shared/config/settings.ts";
import { allTrusted, loadTrusted, NOBODY } from "../../shared/config/trust.ts";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import { createCoverableReporter } from "../../shared/output/coverable.ts";
import { STREAMS } from "../../shared/streams.ts";
import { isWithinRun } from "../../shared/within-run.ts";
import { loadConfig } from "../config/load.ts";
import { nebulaFacts, nebulaResult } from "../facts/nebula-apply.ts";
import { withoutOwnHook } from "../run-options.ts";
import { canHaveScreen } from "../screen/wanted.ts";
import { createWorkScreen } from "../screen/work-screen.ts";
import type { Meant } from "./apply-meant.ts";
import type { NebulaApplyOptions } from "./apply-options.ts";
import { refuseIdleFlags, withoutAuto, withoutTotal } from "./apply-refusals.ts";
import { askPlan } from "./ask-plan.ts";
import { baseOf } from "./base-of.ts";
import { editedAdvice } from "./edited.ts";
import { ENGINE, type EngineRecord } from "./engine-lines.ts";
import { capWords, costOf, limitsOf, typedTotal, withTypedPhase } from "./limits.ts";
import { aroundOf } from "./next.ts";
import { exitOfNebula, stepsOfNebula } from "./outcome.ts";
import { phaseOptions, planner } from "./phase-options.ts";
import { requireNebulaTrust } from "./trust.ts";
import { uncommittedBeside, uncommittedWords } from "./uncommitted.ts";
import { leftCount } from "./unfinished.ts";
import { validSpec } from "./valid-spec.ts";

/** A nebula that was named, and how it is to be worked on. */
interface Order extends Meant {
  readonly named: string;
  readonly options: NebulaApplyOptions;
  /** None: agents work, too. */
  readonly landingsOnly: LandingsOnly | undefined;
}

/** Has an engine work on a nebula, or only land what is approved, and prints what it does. */
export async function workOnNebula(
  named: string,
  meant: Meant,
  options: NebulaApplyOptions,
  landingsOnly?: LandingsOnly,
): Promise<ExitCode> {
  const order: Order = { ...meant, named, options, landingsOnly };
  const prepared = await prepare(order);
  const shown = { json: options.json === true, live: false };
  const reporter = createCoverableReporter(ENGINE, STREAMS, shown);
  const say = (record: EngineRecord): void => reporter.report(record);
  const warn = (message: string): void => say({ type: "warning", message });
  const notice = (message: string): void => say({ type: "notice", message });
  const interrupts = listenForInterrupts((name) =>
    notice(`${name}: stopping and saving; press Ctrl-C again to exit now.`),
  );
  try {
    for (const message of await warningsOf(order, prepared)) warn(message);
    const engine = await engineOf(order, prepared);
    const work = async (resumed: NebulaState | undefined): Promise<ApplyEnd> => {
      const { signal } = interrupts;
      if (!hasScreen(order)) return applyNebula({ ...engine, resumed, onEvent: say, signal });
      const screen = createWorkScreen({ reporter, signal, tell: notice, warn });
      const show = (id: string): void => {
        if (!isPlanAsked(meant.workspace, id)) {
          screen.open({ kind: "nebula", id, workspace: meant.workspace });
        }
      };
      const onEvent = (event: Told): void => {
        say(event);
        if (event.type === "nebula_begun") show(event.id);
      };
      if (resumed !== undefined) show(resumed.id);
      try {
        return await applyNebula({ ...engine, resumed, onEvent, signal });
      } finally {
        await screen.close();
      }
    };
    const end = await withPlanAsked(await work(meant.resumed), order, prepared, work);
    return await report(end);
  } finally {
    interrupts.stop();
    reporter.close();
  }

  async function report({ reason, state: ended }: ApplyEnd): Promise<ExitCode> {
    const { repositoryId, root } = meant.workspace;
    // Somebody may have decided since.
    const state = findNebula(repositoryId, ended.id);
    const { settings } = prepared;
    const now = await nebulaNow(repositoryId, state);
    const cost = await nebulaCost(repositoryId, state);
    const around = await aroundOf(meant.workspace, state, { cost, settings });
    const exit = interrupts.exitCode() ?? exitOfNebula(reason);
    const problem = await notifyOf(state, reason, settings, root);
    if (problem !== undefined) warn(problem);
    const next = stepsOfNebula(state, now, around);
    say(nebulaResult(nebulaFacts(state, cost, now, around), { reason, exit, next }));
    return exit;
  }
}

/** What a nebula is worked on with. */
interface Prepared {
  readonly spec: NebulaSpec;
  readonly settings: Settings;
  /** Of the settings. */
  readonly warnings: readonly string[];
  /** What was typed of limits, now or before. */
  readonly typed: ApplyOptions["typed"];
  readonly limits: EngineLimits;
  /** @throws {CliError} where an agent is not there, or cannot do what it is to. */
  readonly limitsFor: (nebula: NebulaSpec) => EngineLimits;
  readonly optionsOf: ReturnType<typeof phaseOptions>;
  readonly planOf: (nebula: NebulaSpec) => NebulaPlan;
  readonly stateFolder: string;
}

/** Refuses what cannot be worked on before anything is touched, and asks whether its commands are trusted. */
async function prepare({
  named,
  options,
  landingsOnly,
  workspace,
  loaded,
  resumed,
}: Order): Promise<Prepared> {
  const { root, repositoryId } = workspace;
  const typedTotalUsd = typedTotal(options) ?? resumed?.typedTotalUsd;
  const limited = (nebula: NebulaSpec): NebulaSpec => withTypedTotal(nebula, typedTotalUsd);
  const spec = limited(
    resumed === undefined ? validSpec(loaded, named) : keptSpec(repositoryId, resumed),
  );
  // Before anybody is asked whether they trust what would not run.
  if (options.auto !== true) {
    const left = resumed === undefined ? spec.phases.length : leftCount(resumed);
    throw withoutAuto(left, named, options);
  }
  refuseIdleFlags(spec, { dir: resumed?.dir ?? loaded?.dir ?? named, resumed }, options);
  const { folders } = openUser();
  const stateFolder = folders.state;
  const where = { cwd: process.cwd(), root, folders, env: process.env };
  const layers = await loadTrusted(
    options.trustConfig === true,
    (trust) =>
      allTrusted(
        () => loadConfig({ flags: options.flags, ...where, trust }),
        () => requireNebulaTrust(spec, { root, stateDir: stateFolder, trust }),
      ),
    options.input === false ? NOBODY : undefined,
  );
  const resolved = withAbsoluteScripts(resolve(layers), process.cwd());
  const isPhaseTyped = options.flags.maxBudgetUsd !== undefined;
  const typedPhaseUsd = isPhaseTyped ? resolved.maxBudgetUsd : resumed?.typedPhaseUsd;
  const settings = withTypedPhase(resolved, { typedPhaseUsd });
  const planOf = planner(settings);
  const optionsOf = phaseOptions(settings, planOf);
  const limitsFor = (nebula: NebulaSpec): EngineLimits => {
    if (landingsOnly === undefined) for (const phase of nebula.phases) optionsOf(phase, nebula);
    return limitsOf(limited(nebula), settings, options);
  };
  const limits = limitsFor(spec);
  if (options.input === false && spec.execution.totalBudgetUsd === undefined) {
    throw withoutTotal(limits, named, options);
  }
  const warnings = layers.flatMap((layer) => layer.warnings);
  const typed = { typedTotalUsd, typedPhaseUsd };
  return { spec, settings, warnings, typed, limits, limitsFor, optionsOf, planOf, stateFolder };
}

/** What a person should know before the work begins. */
async function warningsOf(
  { named, landingsOnly, workspace, loaded, resumed }: Order,
  { spec, settings, warnings, limits }: Prepared,
): Promise<readonly string[]> {
  const { root, repositoryId } = workspace;
  const capped = capWords(costOf(spec, settings));
  const most = `at most ${money(limits.totalUsd)} is spent`;
  const edited = resumed === undefined ? undefined : editedSince(repositoryId, resumed, loaded);
  const advice = editedAdvice(edited, loaded?.dir ?? resumed?.dir ?? named);
  const begins = resumed === undefined && loaded !== undefined;
  const without = begins ? uncommittedWords(await uncommittedBeside(root, loaded.dir)) : "";
  return [
    ...warnings,
    ...(capped === undefined ? [] : [`${most}: ${capped} (--total-budget says another total)`]),
    ...(advice === undefined || landingsOnly !== undefined
      ? []
      : [`${advice.words}:\n${advice.next}`]),
    ...(without === "" ? [] : [without]),
  ];
}

/** What an engine gets, but for the nebula as it stands and what listens to it. */
async function engineOf(
  { options, landingsOnly, workspace, loaded }: Order,
  { settings, typed, limits, limitsFor, optionsOf, stateFolder }: Prepared,
): Promise<Omit<ApplyOptions, "resumed" | "onEvent" | "signal">> {
  const { root } = workspace;
  return {
    repository: repositoryOf(workspace),
    ...{ loaded, limits, landingsOnly, optionsOf, typed, stateFolder },
    base: await baseOf(root, options.base),
    ...{ branch: options.branch, fresh: options.fresh },
    ...{ withoutOwnHook, acceptSettings: options.acceptSettings },
    admit: (nebula) =>
      refusing(() => {
        requireNebulaTrust(nebula, { root, stateDir: stateFolder, trust: false });
        return limitsFor(nebula);
      }),
    ...{ mirror: options.mirror, push: options.push },
    acceptsRedBase: options.acceptRedBase,
    failsFast: options.failFast,
    trustsRuns: options.trust,
    keys: createKeyManager({ dir: join(stateFolder, "keys") }),
    env: process.env,
    commandEnv: environmentOfChecks(settings),
  };
}

/** Asks a person at the terminal about a plan that waits for them, and works on where they approve it. */
async function withPlanAsked(
  end: ApplyEnd,
  { options, workspace }: Order,
  { planOf }: Prepared,
  work: (state: NebulaState) => Promise<ApplyEnd>,
): Promise<ApplyEnd> {
  const isAsked = end.reason === "waiting" && end.state.planVerdict === "asked";
  if (!isAsked || options.input === false || options.json === true) return end;
  const state = await askPlan(workspace.repositoryId, end.state, workspace.root, planOf);
  return state.planVerdict === "approved" ? work(state) : { ...end, state };
}

/** Whether the cockpit shows the work. What an agent starts, it reads. */
function hasScreen({ options, landingsOnly }: Order): boolean {
  const isPlain = options.plain === true || options.json === true || landingsOnly !== undefined;
  return !isPlain && canHaveScreen() && !isWithinRun();
}

/** Whether a nebula ends at once to ask about its plan: no screen is between. */
function isPlanAsked({ repositoryId }: Workspace, id: string): boolean {
  const state = findNebula(repositoryId, id);
  return planWaits(state, keptSpec(repositoryId, state));
}

/** Has what a command refuses refuse an update, while its engine works on. @throws {NebulaError} */
function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new NebulaError("ERR_USAGE", error.message, { cause: error });
  }
}

/** Tells who is away how the nebula stands, by the command of their settings. @returns What went wrong. */
function notifyOf(
  state: NebulaState,
  reason: StopReason,
  { notify: command }: Settings,
  cwd: string,
): Promise<string | undefined> {
  const message = `nebula ${state.name}: ${landedWords(progressOf(state))}`;
  const said = { QUASAR_EVENT: reason, QUASAR_MESSAGE: message };
  return runNotification({ command, cwd, env: process.env, said });
}
