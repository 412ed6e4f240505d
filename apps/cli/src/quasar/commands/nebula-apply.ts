import { currentGitSha } from "@quasar/git";
import { resolveCommit } from "@quasar/git/history";
import {
  type ApplyEnd,
  applyNebula,
  type EngineLimits,
  findNebula,
  isUnfinished,
  listNebulae,
  NebulaError,
  type NebulaState,
  type StopReason,
  unfinishedOf,
} from "@quasar/nebula";
import {
  awaitsPush,
  editedSince,
  hasTrees,
  keptSpec,
  type LandingsOnly,
  nebulaCost,
  nebulaNow,
  progressOf,
  refuseWorkedOn,
  resumeCommand,
  unfinishedError,
  withTypedTotal,
} from "@quasar/nebula/internal";
import {
  type LoadedNebula,
  loadNebula,
  type NebulaSpec,
  type PhaseSpec,
} from "@quasar/nebula/spec";
import { createKeyManager } from "@quasar/receipts";
import type { Workspace } from "@quasar/runs";
import { openUser, openWorkspace, repositoryOf, runNotification } from "@quasar/runs/internal";
import { cleanLine, count, money, shellWord } from "@quasar/runs/text";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { withAbsoluteScripts } from "../../shared/agents.ts";
import { environmentOfChecks } from "../../shared/checks/environment.ts";
import { type FlagValues, resolve } from "../../shared/config/layers.ts";
import type { Settings } from "../../shared/config/settings.ts";
import { allTrusted, loadTrusted, NOBODY } from "../../shared/config/trust.ts";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import { createReporterOf } from "../../shared/output/reporter.ts";
import { STREAMS } from "../../shared/streams.ts";
import { loadConfig } from "../config/load.ts";
import { nebulaFacts, nebulaResult } from "../facts/nebula-apply.ts";
import { askPlan } from "../nebula/ask-plan.ts";
import { editedAdvice } from "../nebula/edited.ts";
import { ENGINE, type EngineRecord } from "../nebula/engine-lines.ts";
import { capWords, costOf, limitsOf, typedTotal, withTypedPhase } from "../nebula/limits.ts";
import { exitOfNebula, nextOfNebula } from "../nebula/outcome.ts";
import { aroundOf } from "../nebula/next.ts";
import { phaseOptions, planner } from "../nebula/phase-options.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import { workspaceOfNebula } from "../nebula/repository.ts";
import { requireNebulaTrust } from "../nebula/trust.ts";
import { uncommittedBeside, uncommittedWords } from "../nebula/uncommitted.ts";
import { landedWords, leftCount } from "../nebula/unfinished.ts";
import { validSpec } from "../nebula/valid-spec.ts";
import { withoutOwnHook } from "../run-options.ts";

export interface NebulaApplyOptions {
  readonly flags: FlagValues;
  readonly auto?: true | undefined;
  readonly resume?: true | undefined;
  readonly fresh?: true | undefined;
  readonly base?: string | undefined;
  readonly branch?: string | undefined;
  readonly maxWorkers?: string | undefined;
  readonly totalBudget?: string | undefined;
  readonly mirror?: true | undefined;
  readonly push?: true | undefined;
  readonly acceptRedBase?: true | undefined;
  readonly failFast?: true | undefined;
  readonly trust?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly acceptSettings?: true | undefined;
  /** `false`: nobody is asked anything. @default true */
  readonly input?: boolean | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula apply`: works on the phases of a nebula, and lands them on a branch of their own. */
export async function nebulaApplyCommand(
  named: string,
  options: NebulaApplyOptions,
): Promise<ExitCode> {
  if (options.acceptSettings === true) refuseAgents("apply --accept-settings");
  if (options.trust === true) refuseAgents("apply --trust");
  if (options.push === true) refuseAgents("apply --push");
  if (options.resume === true && options.fresh === true) {
    throw new CliError(
      "ERR_USAGE",
      "--resume or --fresh, not both: one continues, the other begins again",
    );
  }
  return workOnNebula(named, await meant(named, options), options);
}

/** Has an engine work on a nebula, or only land what is approved, and prints what it does. */
export async function workOnNebula(
  named: string,
  { workspace, loaded, resumed }: Meant,
  options: NebulaApplyOptions,
  landingsOnly?: LandingsOnly,
): Promise<ExitCode> {
  const { root } = workspace;
  const { commonDir } = repositoryOf(workspace);
  const typedTotalUsd = typedTotal(options);
  const limited = (nebula: NebulaSpec): NebulaSpec =>
    withTypedTotal(nebula, typedTotalUsd ?? resumed?.typedTotalUsd);
  const spec = limited(
    resumed === undefined ? validSpec(loaded, named) : keptSpec(commonDir, resumed),
  );
  // Before anybody is asked whether they trust what would not run.
  if (options.auto !== true) {
    const left = resumed === undefined ? spec.phases.length : leftCount(resumed);
    throw withoutAuto(left, named, options);
  }
  refuseIdleFlags(spec, { dir: resumed?.dir ?? loaded?.dir ?? named, resumed }, options);
  const { folders } = openUser();
  const trust = options.trustConfig === true;
  const isAsked = options.input !== false;
  const where = { cwd: process.cwd(), root, folders, env: process.env };
  const layers = await loadTrusted(
    trust,
    (isTrusted) =>
      allTrusted(
        () => loadConfig({ flags: options.flags, ...where, trust: isTrusted }),
        () => requireNebulaTrust(spec, { root, stateDir: folders.state, trust: isTrusted }),
      ),
    isAsked ? undefined : NOBODY,
  );
  const resolved = withAbsoluteScripts(resolve(layers), process.cwd());
  const isPhaseTyped = options.flags.maxBudgetUsd !== undefined;
  const typedPhaseUsd = isPhaseTyped ? resolved.maxBudgetUsd : resumed?.typedPhaseUsd;
  const settings = withTypedPhase(resolved, { typedPhaseUsd });
  const planOf = planner(settings);
  const optionsOf = phaseOptions(settings, planOf);
  const limitsFor = (nebula: NebulaSpec): EngineLimits => {
    // What is wrong with an agent is reported before anything is touched.
    if (landingsOnly === undefined) for (const phase of nebula.phases) optionsOf(phase, nebula);
    return limitsOf(limited(nebula), settings, options);
  };
  const limits = limitsFor(spec);
  if (!isAsked && spec.execution.totalBudgetUsd === undefined)
    throw withoutTotal(limits, named, options);

  const reporter = createReporterOf(ENGINE, STREAMS, { json: options.json === true, live: false });
  const say = (record: EngineRecord): void => reporter.report(record);
  const interrupts = listenForInterrupts((name) =>
    say({
      type: "notice",
      message: `${name}: stopping and saving; press Ctrl-C again to exit now.`,
    }),
  );
  try {
    for (const message of layers.flatMap(({ warnings }) => warnings)) {
      say({ type: "warning", message });
    }
    const capped = capWords(costOf(spec, settings));
    if (capped !== undefined) {
      const most = `at most ${money(limits.totalUsd)} is spent`;
      say({ type: "warning", message: `${most}: ${capped} (--total-budget says another total)` });
    }
    const edited = resumed === undefined ? undefined : editedSince(commonDir, resumed, loaded);
    const advice = editedAdvice(edited, loaded?.dir ?? resumed?.dir ?? named);
    if (advice !== undefined && landingsOnly === undefined) {
      say({ type: "warning", message: advice.words });
    }
    const base = await baseOf(root, options.base);
    const dir = resumed === undefined ? loaded?.dir : undefined;
    const without = dir === undefined ? "" : uncommittedWords(await uncommittedBeside(root, dir));
    if (without !== "") say({ type: "warning", message: without });
    const work = (begun: NebulaState | undefined): Promise<ApplyEnd> =>
      applyNebula({
        repository: repositoryOf(workspace),
        ...{ loaded, resumed: begun, limits, landingsOnly, optionsOf },
        ...{ branch: options.branch, fresh: options.fresh },
        typed: { typedTotalUsd, typedPhaseUsd },
        ...{ base, withoutOwnHook, acceptSettings: options.acceptSettings },
        admit: (nebula) =>
          refusing(() => {
            requireNebulaTrust(nebula, { root, stateDir: folders.state, trust: false });
            return limitsFor(nebula);
          }),
        ...{ mirror: options.mirror, push: options.push },
        acceptsRedBase: options.acceptRedBase,
        failsFast: options.failFast,
        trustsRuns: options.trust,
        keys: createKeyManager({ dir: join(folders.state, "keys") }),
        env: process.env,
        commandEnv: environmentOfChecks(settings),
        stateFolder: folders.state,
        onEvent: say,
        signal: interrupts.signal,
      });
    let { reason, state } = await work(resumed);
    const isPlanAsked = reason === "waiting" && state.planVerdict === "asked";
    if (isPlanAsked && isAsked && options.json !== true) {
      state = await askPlan(commonDir, state, root, planOf);
      if (state.planVerdict === "approved") ({ reason, state } = await work(state));
    }
    const now = await nebulaNow(commonDir, state);
    const cost = await nebulaCost(commonDir, state);
    const around = await aroundOf(workspace, state, { cost, settings });
    const facts = nebulaFacts(state, cost, now, around);
    const exit = interrupts.exitCode() ?? exitOfNebula(reason);
    const problem = await notifyOf(state, reason, settings, root);
    if (problem !== undefined) say({ type: "warning", message: problem });
    const next = nextOfNebula(state, now, reason, around);
    say(nebulaResult(facts, { reason, exit, next }));
    return exit;
  } finally {
    interrupts.stop();
    reporter.close();
  }
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

/** Refuses a flag that would change nothing. @throws {CliError} `ERR_USAGE` */
function refuseIdleFlags(
  { phases, execution }: NebulaSpec,
  { dir, resumed }: { readonly dir: string; readonly resumed: NebulaState | undefined },
  { flags, base, branch }: NebulaApplyOptions,
): void {
  if (resumed !== undefined) {
    const flag = [base !== undefined && "--base", branch !== undefined && "--branch"].find(Boolean);
    if (flag !== undefined) {
      const message = `${flag} has no effect on a nebula that has begun: ${cleanLine(resumed.branch)} began at ${resumed.base.slice(0, 10)}`;
      throw new CliError("ERR_USAGE", message, { next: [resumeCommand(resumed)] });
    }
  }
  const isLimited = ({ maxBudgetUsd = execution.maxBudgetUsd }: PhaseSpec): boolean =>
    maxBudgetUsd !== undefined;
  if (flags.maxBudgetUsd === undefined || !phases.every(isLimited)) return;
  const [file, update] = [
    shellWord(join(dir, "nebula.toml")),
    `quasar nebula update ${shellWord(dir)}`,
  ];
  const message = "--max-budget has no effect: each phase has max_budget_usd in its files";
  throw new CliError("ERR_USAGE", message, {
    next: [
      `\${EDITOR:-vi} ${file}   # change max_budget_usd`,
      ...(resumed === undefined ? [] : [update]),
    ],
  });
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

interface Meant {
  readonly workspace: Workspace;
  readonly loaded: LoadedNebula | undefined;
  readonly resumed: NebulaState | undefined;
}

/** The nebula that was named: by its folder, or one that has begun by its name or id too. */
async function meant(named: string, { resume, fresh, push }: NebulaApplyOptions): Promise<Meant> {
  const wanted = { resume: resume === true, push: push === true };
  if (!existsSync(named)) {
    const workspace = await openWorkspace(process.cwd());
    const found = findNebula(workspace.repositoryId, named);
    return { workspace, loaded: undefined, resumed: unfinished(workspace, found, wanted) };
  }
  const loaded = loadNebula(named);
  const workspace = await workspaceOfNebula(loaded.dir, process.cwd());
  const begun =
    unfinishedOf(workspace.repositoryId, loaded.dir, loaded.spec?.name) ??
    (resume === true ? lastOf(workspace, loaded.dir) : undefined);
  if (begun !== undefined && fresh !== true) {
    return { workspace, loaded, resumed: unfinished(workspace, begun, wanted) };
  }
  if (resume === true) {
    throw new CliError("ERR_NOTHING_TO_RESUME", `${cleanLine(named)} has no unfinished nebula`, {
      next: [`quasar nebula plan ${shellWord(named)}`],
    });
  }
  return { workspace, loaded, resumed: undefined };
}

/** The nebula that was begun from a folder last, even if it has ended: its work trees may be there yet. */
function lastOf({ repositoryId }: Workspace, dir: string): NebulaState | undefined {
  return listNebulae(repositoryId).find((state) => state.dir === dir && state.archivedFrom === "");
}

/** One that can be resumed, and is to be. @throws {NebulaError} where an engine works on it, or nobody has said so. */
function unfinished(
  workspace: Workspace,
  state: NebulaState,
  { resume, push }: { readonly resume: boolean; readonly push: boolean },
): NebulaState {
  refuseWorkedOn(workspace.repositoryId, state);
  const places = { env: process.env, state: openUser().folders.state };
  const hasMore =
    awaitsPush({ ...state, isPushAsked: push || state.isPushAsked }) ||
    hasTrees(repositoryOf(workspace), state, places);
  if (!isUnfinished(state) && !(resume && hasMore)) {
    throw new CliError("ERR_NOTHING_TO_RESUME", `the nebula ${cleanLine(state.name)} has ended`, {
      next: [`quasar nebula status ${state.id}`],
    });
  }
  if (resume) return state;
  throw unfinishedError(state);
}

async function baseOf(root: string, named: string | undefined): Promise<string> {
  if (named === undefined) return currentGitSha(root);
  const commit = await resolveCommit(root, named);
  if (commit !== undefined) return commit;
  throw new CliError("ERR_USAGE", `there is no commit ${cleanLine(named)}`, {
    next: ["git log --oneline"],
  });
}

function withoutAuto(left: number, named: string, { resume }: NebulaApplyOptions): CliError {
  const message = `${count(left, "phase")} would be worked on; without --auto nothing begins`;
  return new CliError("ERR_USAGE", message, {
    next: [
      `quasar nebula apply ${shellWord(named)} --auto${resume === true ? " --resume" : ""}`,
      `quasar nebula plan ${shellWord(named)}`,
    ],
  });
}

function withoutTotal(
  { totalUsd }: EngineLimits,
  named: string,
  { resume }: NebulaApplyOptions,
): CliError {
  const message = "--no-input needs a total budget: nobody is asked before more is spent";
  const how = resume === true ? "--auto --resume --no-input" : "--auto --no-input";
  // Without a limit of each phase there is no sum to name.
  const total = totalUsd === 0 ? "USD" : String(totalUsd);
  return new CliError("ERR_USAGE", message, {
    next: [`quasar nebula apply ${shellWord(named)} ${how} --total-budget ${total}`],
  });
}
