import type { EngineLimits, NebulaState, TypedLimits } from "@quasar/nebula";
import {
  DEFAULT_WORKERS,
  keptSpec,
  limitOf,
  type NebulaCost,
  type Shortage,
  shortages,
} from "@quasar/nebula/internal";
import { type NebulaPlan, planNebula } from "@quasar/nebula/plan";
import type { NebulaSpec } from "@quasar/nebula/spec";
import type { LimitsOf } from "@quasar/nebula/facts";
import type { Workspace } from "@quasar/runs";
import { upToCent } from "@quasar/runs/internal";
import { money, shellWord } from "@quasar/runs/text";
import { join } from "node:path";
import { periodMs, usd, whole } from "../../shared/config/kinds.ts";
import { numberOf } from "../../shared/typed-number.ts";
import { SETTINGS, type Settings } from "../../shared/config/settings.ts";
import { settingsIn, userSettings } from "./user-settings.ts";

/** What may be typed of an engine's limits. */
export interface LimitFlags {
  readonly maxWorkers?: string | undefined;
  readonly totalBudget?: string | undefined;
}

/** The total that is typed, in US dollars; `undefined`: none is. @throws {CliError} `ERR_USAGE` */
export function typedTotal({ totalBudget }: Pick<LimitFlags, "totalBudget">): number | undefined {
  return numberOf("--total-budget", totalBudget, usd);
}

/** How many phases are worked on at once, as it is typed; `undefined`: it is not. @throws {CliError} `ERR_USAGE` */
export function typedWorkers({ maxWorkers }: Pick<LimitFlags, "maxWorkers">): number | undefined {
  return numberOf("--max-workers", maxWorkers, WORKERS);
}

/** What the user has set, with the limit for a phase that was typed of a nebula. */
export function withTypedPhase(settings: Settings, { typedPhaseUsd }: TypedLimits): Settings {
  return { ...settings, maxBudgetUsd: typedPhaseUsd ?? settings.maxBudgetUsd };
}

/** The limits of a nebula: as they are typed, else as its files say, else as the user has set. @throws {CliError} `ERR_USAGE` */
export function limitsOf(
  spec: NebulaSpec,
  settings: Settings,
  { maxWorkers }: Pick<LimitFlags, "maxWorkers"> = {},
): EngineLimits {
  return {
    maxWorkers: typedWorkers({ maxWorkers }) ?? spec.execution.maxWorkers ?? DEFAULT_WORKERS,
    totalUsd: costOf(spec, settings).totalUsd ?? 0,
    phaseUsd: settings.maxBudgetUsd,
    waitMs: periodMs(settings.waitLimit) ?? 0,
  };
}

/** The limits of nebulae of a repository, for what looks at one. */
export function limitsIn(workspace: Workspace): LimitsOf {
  return (spec, state) => limitsOf(spec, withTypedPhase(settingsIn(workspace), state));
}

/** What a nebula may cost. */
export function costOf(spec: NebulaSpec, settings: Settings): NebulaPlan["cost"] {
  return planNebula(spec, { user: userSettings(settings), hasSubmodules: false }).cost;
}

/** Why a nebula may cost less than its files ask for; `undefined`: it may cost that. */
export function capWords({ isTotalCapped, askedUsd }: NebulaPlan["cost"]): string | undefined {
  if (!isTotalCapped) return undefined;
  const asked = askedUsd === undefined ? "set no limit" : `ask for ${money(askedUsd)}`;
  return `your ${SETTINGS.nebulaMaxTotalUsd.key}; the nebula's files ${asked}`;
}

const WORKERS = whole(1, 64);

/** Which limits are too small for what waits, and what a person types to raise them. */
export interface Raising {
  readonly shortages: readonly Shortage[];
  /** Before the nebula is resumed. */
  readonly steps: readonly string[];
  /** Of the command that resumes it, with a space before each. */
  readonly flags: string;
}

/** Nothing is known to be too small. */
export const NOTHING_SHORT: Raising = { shortages: [], steps: [], flags: "" };

/**
 * What a nebula lacks as it stands.
 *
 * @param cost - What it has cost by now.
 */
export function raisingOf(
  commonDir: string,
  state: NebulaState,
  { cost, settings }: Budgeted,
): Raising {
  if (!state.phases.some(({ status }) => status === "pending" || status === "awaiting_human")) {
    return NOTHING_SHORT;
  }
  const spec = keptSpec(commonDir, state);
  const own = withTypedPhase(settings, state);
  const limits = limitsOf(spec, own);
  const { isTotalGiven } = costOf(spec, own);
  const all = shortages({ spec, limits, state, cost }, () => settings.maxTurnBudgetUsd);
  // A total that is the sum of the phases' limits is raised with them.
  const raisedUsd = all.reduce((sum, { phase, limit, neededUsd }) => {
    const own = limit === "phase" && spec.phases.find(({ id }) => id === phase);
    return own ? sum + neededUsd - limitOf({ spec, limits }, own) : sum;
  }, limits.totalUsd);
  const isRaised = ({ limit, neededUsd }: Shortage): boolean =>
    !isTotalGiven && limit === "total" && neededUsd <= upToCent(raisedUsd);
  const found = all.filter((each) => !isRaised(each));
  return { shortages: found, ...stepsOf(state, spec, found, limits) };
}

interface Budgeted {
  readonly cost: NebulaCost;
  readonly settings: Settings;
}

function stepsOf(
  { dir }: NebulaState,
  spec: NebulaSpec,
  found: readonly Shortage[],
  { totalUsd }: EngineLimits,
): Pick<Raising, "steps" | "flags"> {
  const files = new Map<string, number>();
  const flags = new Map<string, number>();
  for (const { phase, limit, neededUsd } of found) {
    const file = limit === "phase" ? fileOf(spec, phase) : undefined;
    const flag = FLAGS[limit];
    const usdMore = limit === "total" ? Math.ceil(Math.max(neededUsd, totalUsd * MORE)) : neededUsd;
    const [raised, name] = file === undefined ? [flags, flag] : [files, file];
    raised.set(name, Math.max(usdMore, raised.get(name) ?? 0));
  }
  return {
    steps: [
      ...[...files].map(
        ([file, limitUsd]) =>
          `\${EDITOR:-vi} ${shellWord(join(dir, file))}   # set max_budget_usd to ${limitUsd} or more`,
      ),
      ...(files.size > 0 ? [`quasar nebula update ${shellWord(dir)}`] : []),
    ],
    flags: [...flags].map(([flag, limitUsd]) => ` ${flag} ${limitUsd}`).join(""),
  };
}

/** How many times the total is offered that was too small. */
const MORE = 1.5;

const FLAGS = {
  phase: "--max-budget",
  total: "--total-budget",
  turn: "--max-turn-budget",
} as const satisfies Record<Shortage["limit"], string>;

/** The file that has the limit of a phase; `undefined`: it is the user's. */
function fileOf({ phases, execution }: NebulaSpec, id: string): string | undefined {
  const phase = phases.find((each) => each.id === id);
  if (phase?.maxBudgetUsd !== undefined) return phase.file;
  return execution.maxBudgetUsd === undefined ? undefined : MANIFEST_FILE;
}

const MANIFEST_FILE = "nebula.toml";
