import type { Repository } from "@quasar/git";
import type { Redactor } from "@quasar/agents/environment";
import { refSha } from "@quasar/git/history";
import type { MergeFolder } from "@quasar/git/landing";
import type { KeyManager } from "@quasar/receipts";
import type { RunOptions } from "@quasar/runs";
import type { CompatibleIn, SharedControls } from "@quasar/runs/internal";
import { shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import type { Told } from "../events.ts";
import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import type { AgentLimits } from "./agent-limits.ts";
import type { NebulaHome } from "../state/home.ts";
import type { Steering } from "../people/steering.ts";
import { landedTip, type NebulaState, type PhaseState } from "../state/state.ts";
import type { StateStore } from "../state/store.ts";
import type { OverFleet } from "./over-fleet.ts";
import type { TreeEnv } from "./ports.ts";

/**
 * What a phase's run works by: its agents, its checks, its cycles, and what one turn may spend (`maxTurnBudgetUsd`). What the
 * run may spend in all follows from the limits of its phase and of the nebula.
 */
export type PhaseRunOptions = Omit<RunOptions, "maxBudgetUsd" | "onEnd" | "waitLimitMs" | "people">;

/** Money counts over all runs, attempts and crashes, with the most that turns may have cost whose cost is not known. */
export interface EngineLimits {
  /** How many phases are worked on at once, from 1. */
  readonly maxWorkers: number;
  /** US dollars that all phases may spend together; 0: no limit. */
  readonly totalUsd: number;
  /** US dollars that each phase may spend whose limit neither its file nor nebula.toml names; 0: no limit. */
  readonly phaseUsd: number;
  /** How long a usage limit is waited for when nothing else can be done, in milliseconds. @default 0 */
  readonly waitMs?: number | undefined;
}

/** What an engine lands where it has nobody work. */
export interface LandingsOnly {
  /** The one phase that lands. @default all that are approved */
  readonly phase?: string | undefined;
}

/** What is known of a commit that phases begin at and land on. */
export interface Base {
  /** Commands that fail on it by itself: a landing on it is not to blame for them. */
  readonly failing: ReadonlySet<string>;
  /** It fails in a way that nobody has accepted: nothing begins there, and nothing lands on it. */
  readonly isRed: boolean;
}

/** What an engine works with. */
export interface Engine {
  readonly repository: Repository;
  readonly mergeFolder: MergeFolder;
  readonly home: NebulaHome;
  /** As the last update has it. */
  readonly spec: NebulaSpec;
  readonly store: StateStore;
  /** Absolute path, without links, of the folder that holds the nebula's work trees. */
  readonly trees: string;
  readonly keys: KeyManager;
  /** As the last update has them. */
  readonly limits: EngineLimits;
  /** Has what another revision says of limits count. @throws {NebulaError} where it may not be worked on as it is. */
  readonly admit: (spec: NebulaSpec) => void;
  /** What the current run of a phase may spend in all, in US dollars; 0: no limit. */
  readonly budgetOfRun: (phase: PhaseState) => Promise<number>;
  readonly agentLimits: AgentLimits;
  /** What this engine knows of commits of the branch: see `knownBase`. */
  readonly bases: Map<string, Base>;
  /** Paths of work trees that stay although their phases have landed, with what was reported of them. */
  readonly keptTrees: Map<string, string>;
  /** Ids of the phases that the lane works on: nobody else changes what the state says of them. */
  readonly inLane: Set<string>;
  /** Whether what fails where it begins is accepted. */
  readonly acceptsRedBase: boolean;
  /** Whether no phase begins once one has failed. */
  readonly failsFast: boolean;
  /** Whether runs continue that this machine has not begun here. */
  readonly trustsRuns: boolean;
  readonly steering: Steering;
  /** Waited for before an agent is started, once it is saved that its turn begins. @default nothing is */
  readonly beforeTurn?: (() => Promise<void>) | undefined;
  /** What controls git, against how it was when the nebula began: no run begins with what has changed since. */
  readonly controls: SharedControls;
  /** What of a git hook is the caller's own. */
  readonly withoutOwnHook: PhaseRunOptions["withoutOwnHook"];
  /** Where it has nobody work. */
  readonly landingsOnly: LandingsOnly | undefined;
  /** What other machines do for it; `undefined`: it works on this one alone. */
  readonly fleet: OverFleet | undefined;
  readonly optionsOf: (phase: PhaseSpec, nebula: NebulaSpec) => PhaseRunOptions;
  /** Of setup, verification and checks. */
  readonly commandEnv: Readonly<Record<string, string | undefined>>;
  /** What is in the environment of all that works in a work tree. @param tree - Absolute path of one that is there. */
  readonly portsOf: (tree: string) => TreeEnv;
  /** Where the checkpoint of a phase's run is mirrored; `undefined`: nowhere that anybody looks. */
  readonly checkpointOf: (phaseId: string) => Promise<CompatibleIn | undefined>;
  /** Takes secrets of the user's environment out of what commands print. */
  readonly redact: Redactor;
  readonly tell: (event: Told) => void;
  readonly signal: AbortSignal;
  /** Since when this engine works. */
  readonly startedAt: Date;
  readonly now: () => Date;
}

/** The engine with its spec as it is now, whatever updates it takes: for what reads it more than once. */
export function withOneSpec(engine: Engine): Engine {
  return { ...engine, spec: engine.spec };
}

/**
 * The commit that the integration branch is at.
 *
 * @throws {NebulaError} `ERR_REWOUND` where the branch is gone.
 */
export async function branchTip(engine: Engine): Promise<string> {
  const { repository, store, signal } = engine;
  const tip = await refSha(repository, branchRef(engine), { signal });
  if (tip === undefined) throw branchGone(store.current);
  return tip;
}

/** What an engine says where the integration branch is gone. */
export function branchGone(state: NebulaState): NebulaError {
  const { branch } = state;
  const at = landedTip(state).slice(0, 12);
  const next = [{ shell: `git branch ${shellWord(branch)} ${at}`, note: "brings it back" }];
  return new NebulaError("ERR_REWOUND", `the branch ${branch} is gone`, { next });
}

/** The integration branch as a ref. */
export function branchRef({ store }: Pick<Engine, "store">): string {
  return `refs/heads/${store.current.branch}`;
}
