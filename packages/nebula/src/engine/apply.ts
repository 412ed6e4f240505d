import { existsSync, realpathSync } from "node:fs";
import type { Repository } from "@quasar/git";
import { isAncestor, refSha } from "@quasar/git/history";
import { compareAndSwapRef, openMergeFolder } from "@quasar/git/landing";
import type { KeyManager } from "@quasar/receipts";
import { makeFolders } from "@quasar/process/files";
import { openSharedControls } from "@quasar/runs/internal";
import { shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import type { Told } from "../events.ts";
import { keepSpec, specReader } from "../spec/copy.ts";
import type { LoadedNebula } from "../spec/load.ts";
import { planOrder } from "../spec/order.ts";
import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import { branchOf } from "../state/branch.ts";
import { type NebulaHome, nebulaHome, newNebulaId, phaseRef, refsOf } from "../state/home.ts";
import { isUnfinished, listNebulae } from "../state/list.ts";
import { landedPhases, type NebulaState, pendingPhase } from "../state/state.ts";
import { openMirror } from "../state/mirror.ts";
import { openState } from "../state/store.ts";
import { treesFolder } from "../trees/place.ts";
import { repairTrees } from "../trees/tree.ts";
import { createSteering } from "../people/steering.ts";
import { holdRef } from "../landing/hold-ref.ts";
import { laneObstacle } from "../landing/obstacle.ts";
import { endLeftCommands } from "../landing/run-shell.ts";
import { branchRef } from "./context.ts";
import type { Engine, EngineLimits, LandingsOnly, PhaseRunOptions } from "./context.ts";
import { AgentLimits } from "./agent-limits.ts";
import { freeBranches } from "./archive.ts";
import { drive } from "./engine.ts";
import { LimitFiles } from "./limit-files.ts";
import { lockNebula } from "../state/lock.ts";
import type { StopReason } from "./stop-reason.ts";
import { note } from "../state/report.ts";

export interface ApplyOptions {
  /** Of the nebula's folder, or of the current one where that is in none. */
  readonly repository: Repository;
  /** The nebula as its folder has it now: valid. `undefined`: one that has begun is resumed by its own copy. */
  readonly loaded: LoadedNebula | undefined;
  /** The nebula that is resumed. @default a new one begins, where its folder has none that is unfinished */
  readonly resumed: NebulaState | undefined;
  /** The commit that a new one begins at: a full id. */
  readonly base: string;
  /** @default made from the name */
  readonly branch?: string | undefined;
  readonly limits: EngineLimits;
  /**
   * Asked before another revision is taken while the engine works: the limits that count from then on.
   *
   * @throws where it may not be worked on as it is: the update is refused.
   * @default it may be, and the limits stay
   */
  readonly admit?: ((spec: NebulaSpec) => EngineLimits) | undefined;
  /** Whether nebula.state.toml in its folder follows the state. @default where it is there, and git does not track it */
  readonly mirror?: boolean | undefined;
  /** Has nobody work, and lands what is approved. @default works, too */
  readonly landingsOnly?: LandingsOnly | undefined;
  /** Whether commands that fail on the branch by itself are accepted: they count where they newly fail. @default false */
  readonly acceptsRedBase?: boolean | undefined;
  readonly optionsOf: (phase: PhaseSpec, nebula: NebulaSpec) => PhaseRunOptions;
  /** What of a git hook is the caller's own, and counts for nothing when hooks are compared. @default nothing */
  readonly withoutOwnHook?: PhaseRunOptions["withoutOwnHook"];
  /** Take git's settings and hooks as they are now: a person accepts what of them has changed. @default false */
  readonly acceptSettings?: boolean | undefined;
  readonly keys: KeyManager;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of setup and verification. */
  readonly commandEnv: Readonly<Record<string, string | undefined>>;
  /** The user's folder for state: `$XDG_STATE_HOME/quasar`. */
  readonly stateFolder: string;
  readonly onEvent: (event: Told) => void;
  readonly signal: AbortSignal;
  readonly now?: (() => Date) | undefined;
}

/** How an engine has ended. */
export interface ApplyEnd {
  readonly reason: StopReason;
  readonly state: NebulaState;
}

/**
 * The unfinished nebula that was begun from a folder; `undefined` where there is none.
 *
 * @param dir - Absolute.
 * @param name - Of the nebula in it: one of this name whose own folder is gone was moved here, alone or with the
 *   repository. @default only by the folder
 */
export function unfinishedOf(
  commonDir: string,
  dir: string,
  name?: string,
): NebulaState | undefined {
  const path = realpathSync(dir);
  const open = listNebulae(commonDir).filter(isUnfinished);
  const isMoved = (nebula: NebulaState): boolean => nebula.name === name && !existsSync(nebula.dir);
  return open.find((nebula) => nebula.dir === path) ?? open.find(isMoved);
}

/**
 * Begins or resumes a nebula, until it is done or has to wait. One engine works on a nebula at a time; the
 * user's own work tree, index, branch and files are not touched.
 *
 * @throws {NebulaError} `ERR_LOCKED`, `ERR_BRANCH`, `ERR_REWOUND`, `ERR_DAMAGED`
 */
export async function applyNebula(options: ApplyOptions): Promise<ApplyEnd> {
  const { repository, resumed, onEvent, now = () => new Date() } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const id = resumed?.id ?? newNebulaId();
  const home = nebulaHome(repository.commonDir, id);
  makeFolders(home.dir);
  const lock = lockNebula(home);
  const limitFiles = new LimitFiles(options.stateFolder);
  try {
    const begun = resumed ?? (await begin(options, home, id, now()));
    const dir = options.loaded?.dir ?? begun.dir;
    const mirror = await openMirror({
      ...{ commonDir: repository.commonDir, dir, isAsked: options.mirror === true },
      warn: (message) => onEvent({ type: "warning", message }),
    });
    const store = openState(home, begun, now, { onSaved: mirror?.follow });
    try {
      mirror?.follow(store.current);
      const readNebula = specReader(home, () => store.current.revision);
      let { limits } = options;
      const engine: Engine = {
        ...{ repository, home, store, signal, now, tell: onEvent },
        get spec() {
          return readNebula();
        },
        get limits() {
          return limits;
        },
        admit(spec) {
          limits = options.admit?.(spec) ?? limits;
        },
        merges: await openMergeFolder(repository),
        trees: treesFolder(repository, id, { env: options.env, state: options.stateFolder }),
        keys: options.keys,
        optionsOf: options.optionsOf,
        commandEnv: options.commandEnv,
        landingsOnly: options.landingsOnly,
        agentLimits: new AgentLimits(limitFiles),
        limitFile: (agent) => limitFiles.path(agent),
        bases: new Map(),
        acceptsRedBase: options.acceptsRedBase === true,
        controls: await openSharedControls(repository, {
          file: home.controls,
          withoutOwn: options.withoutOwnHook,
          accept: options.acceptSettings,
        }),
        steering: createSteering({
          ...{ home, store, now, tell: onEvent, endNow: () => ending.abort() },
          dir,
          get spec() {
            return readNebula();
          },
        }),
      };
      for (const message of engine.controls.accepted) {
        note(engine, { type: "warning", message: `accepted: ${message}` });
      }
      await endLeftCommands(engine);
      await openBranch(engine);
      makeFolders(engine.trees);
      await repairTrees(engine);
      const reason = await drive(engine);
      return { reason, state: store.current };
    } catch (error) {
      // What an interrupted git or command throws is no failure.
      if (error !== signal.reason) throw error;
      return { reason: "interrupted", state: store.current };
    } finally {
      store.close();
      await mirror?.settled();
    }
  } finally {
    lock.release();
  }
}

/** What is saved of a nebula before anything of it is in the repository. */
async function begin(
  { repository, loaded, base, branch: named, signal }: ApplyOptions,
  home: NebulaHome,
  id: string,
  now: Date,
): Promise<NebulaState> {
  if (loaded === undefined) throw new NebulaError("ERR_NOT_FOUND", "there is no nebula to begin");
  const { spec, dir } = loaded;
  if (spec === undefined) throw new NebulaError("ERR_INVALID_NEBULA", `${dir} is not valid`);
  const branch = named ?? branchOf(spec.name);
  const { root } = repository;
  await freeBranches(repository);
  await requireNebulae(repository, spec, base);
  for (const taken of [branch, "nebula"]) {
    if ((await refSha(root, `refs/heads/${taken}`, { signal })) === undefined) continue;
    const why = taken === branch ? "" : `, beside which git allows no ${branch}`;
    throw new NebulaError("ERR_BRANCH", `there is a branch ${taken} already${why}`, {
      next: [
        { note: "--branch NAME lands on another one" },
        { note: "--fresh keeps it under another name, if it is of a nebula of this folder" },
      ],
    });
  }
  const phases = planOrder(spec.phases).order.map((phase, at) =>
    pendingPhase(phase.id, phaseRef(at + 1, phase.id), now),
  );
  const revision = keepSpec(home, loaded);
  const createdAt = now.toISOString();
  return {
    ...{ id, name: spec.name, branch, dir, base, revision, createdAt },
    ...{ planVerdict: "", planReason: "", archivedFrom: "" },
    acceptedFailures: [],
    ownsBranch: false,
    phases,
  };
}

/** Refuses a base that does not have what other nebulae have landed. @throws {NebulaError} `ERR_UNFINISHED` */
async function requireNebulae(
  { root, commonDir }: Repository,
  { dependencies }: NebulaSpec,
  base: string,
): Promise<void> {
  for (const name of dependencies.requiresNebulae) {
    const found = listNebulae(commonDir).find((nebula) => nebula.name === name);
    const last = found && landedPhases(found).at(-1);
    const isDone = found?.phases.every(({ status }) => status === "done") === true;
    if (isDone && last !== undefined && (await isAncestor(root, last.candidate, base))) continue;
    const message = isDone
      ? `the base does not have what the nebula ${JSON.stringify(name)} has landed`
      : `the nebula ${JSON.stringify(name)}, which this one needs, has not landed all of its phases`;
    const next = found === undefined ? [] : [{ shell: `git merge ${found.branch}` }];
    throw new NebulaError("ERR_UNFINISHED", message, { next });
  }
}

/**
 * The branch, at the nebula's base where nothing has landed yet.
 *
 * @throws {NebulaError} `ERR_BRANCH` where somebody else has made one of that name since the nebula was first saved.
 */
async function openBranch(engine: Engine): Promise<void> {
  const { repository, store, signal, tell } = engine;
  const { branch, base, id, ownsBranch } = store.current;
  const ref = branchRef(engine);
  const obstacle = await laneObstacle(engine);
  if (obstacle !== undefined) throw new NebulaError("ERR_BRANCH", obstacle);
  await holdRef(engine, refsOf(id).base, base);
  if (ownsBranch && landedPhases(store.current).length > 0) return;
  const isThere = (await refSha(repository.root, ref, { signal })) !== undefined;
  if (!isThere) {
    const swap = { ref, from: undefined, to: base, message: "nebula begins", signal };
    await compareAndSwapRef(repository, swap);
  }
  if (ownsBranch) return;
  if ((await refSha(repository.root, ref, { signal })) !== base) {
    const message = `there is a branch ${branch} that this nebula has not made`;
    const next = [
      { shell: `git branch --move ${shellWord(branch)} ${shellWord(`${branch}-other`)}` },
    ];
    throw new NebulaError("ERR_BRANCH", message, { next });
  }
  const event = { type: "nebula_begun", id, base } as const;
  store.ownBranch(event);
  tell(event);
}
