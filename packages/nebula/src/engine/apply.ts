import { createRedactor } from "@quasar/agents/environment";
import { refSha } from "@quasar/git/history";
import { compareAndSwapRef } from "@quasar/git/landing";
import type { KeyManager } from "@quasar/receipts";
import { NebulaError } from "../errors.ts";
import type { StopReason } from "../events.ts";
import { refuseArchived } from "../state/archived.ts";
import { specReader } from "../state/copy.ts";
import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import { nebulaHome, refsOf } from "../state/home.ts";
import { landedPhases, type NebulaState } from "../state/state.ts";
import { moveBranchCommand } from "../state/move-branch.ts";
import { openMirror } from "../state/mirror.ts";
import { createState, openState, requireState } from "../state/store.ts";
import { findTreesFolder, openTreesFolder } from "../trees/open-folder.ts";
import { repairTrees } from "../trees/tree.ts";
import { createSteering } from "../people/steering.ts";
import { holdRef } from "../landing/hold-ref.ts";
import { requireFreeLane } from "../landing/obstacle.ts";
import { endLeftCommands } from "../commands/run-shell.ts";
import { branchRef } from "../context/context.ts";
import type { Engine, EngineLimits, LandingsOnly, PhaseRunOptions } from "../context/context.ts";
import { askPush } from "./ask-push.ts";
import { begin, type Beginning } from "./begin.ts";
import { drive } from "./engine.ts";
import { noteEnd, noteError } from "./engine-end.ts";
import { endedBy } from "./ended-by.ts";
import { makeEngine } from "./make-engine.ts";
import type { OverFleet } from "../context/over-fleet.ts";
import { pushBranchOf } from "./push.ts";
import { lockBeginning, lockEngine } from "../state/lock.ts";
import { note } from "../state/report.ts";

export interface ApplyOptions extends Beginning {
  /** The nebula that is resumed. @default a new one begins, where its folder has none that is unfinished */
  readonly resumed: NebulaState | undefined;
  readonly limits: EngineLimits;
  /**
   * Asked before another revision is taken while the engine works: the limits that count from then on.
   *
   * @throws {NebulaError} where it may not be worked on as it is: the update is refused. Anything else ends the engine.
   * @default it may be, and the limits stay
   */
  readonly admit?: ((spec: NebulaSpec) => EngineLimits) | undefined;
  /** Whether nebula.state.toml in its folder follows the state, and checkpoints its runs. @default where it is there, and git does not track it */
  readonly mirror?: boolean | undefined;
  /** Has nobody work, and lands what is approved. @default works, too */
  readonly landingsOnly?: LandingsOnly | undefined;
  /** What other machines do for this engine. @default it works alone */
  readonly fleet?: OverFleet | undefined;
  /** Whether commands that fail on the branch by itself are accepted: they count where they newly fail. @default false */
  readonly acceptsRedBase?: boolean | undefined;
  /** Whether no phase begins once one has failed; those at work end and land. @default false */
  readonly failsFast?: boolean | undefined;
  /** Whether the branch, and nothing else, is pushed once all has landed, by this engine or a later one. @default as it was asked before */
  readonly push?: boolean | undefined;
  readonly optionsOf: (phase: PhaseSpec, nebula: NebulaSpec) => PhaseRunOptions;
  /** What of a git hook is the caller's own, and counts for nothing when hooks are compared. @default nothing */
  readonly withoutOwnHook?: PhaseRunOptions["withoutOwnHook"];
  /** Take git's settings and hooks as they are now: a person accepts what of them has changed. @default false */
  readonly acceptSettings?: boolean | undefined;
  /** Continue runs that this machine has not begun here: the repository was moved, or comes from elsewhere. @default false */
  readonly trustsRuns?: boolean | undefined;
  readonly keys: KeyManager;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of setup and verification. */
  readonly commandEnv: Readonly<Record<string, string | undefined>>;
  /** The user's folder for state: `$XDG_STATE_HOME/quasar`. */
  readonly stateFolder: string;
  readonly signal: AbortSignal;
  readonly now?: (() => Date) | undefined;
}

/** How an engine has ended. */
export interface ApplyEnd {
  readonly reason: StopReason;
  readonly state: NebulaState;
}

/**
 * Begins or resumes a nebula, until it is done or has to wait. One engine works on a nebula at a time, and of several that
 * begin at once from one folder, or for one branch, the first does; the user's own work tree, index, branch and files are
 * not touched.
 *
 * @throws {NebulaError} as {@link begin}; `ERR_NOT_FOUND` and `ERR_USAGE` where the nebula was pruned or archived
 *   meanwhile, `ERR_REWOUND`, `ERR_DAMAGED`, `ERR_FOREIGN_RUN`, `ERR_FULL_DISK`
 */
export async function applyNebula(options: ApplyOptions): Promise<ApplyEnd> {
  const { repository, resumed, now = () => new Date() } = options;
  if (resumed !== undefined) return work(options, resumed, () => {});
  const beginning = await lockBeginning(repository.commonDir, options.signal);
  try {
    return await work(options, await begin(options, now()), () => beginning.release());
  } finally {
    beginning.release();
  }
}

/** @param onBegun - Called once the nebula is saved and its branch is its own. */
async function work(
  options: ApplyOptions,
  begun: NebulaState,
  onBegun: () => void,
): Promise<ApplyEnd> {
  const { repository, resumed, onEvent, now = () => new Date() } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const { id } = begun;
  const home = nebulaHome(repository.commonDir, id);
  const lock = lockEngine(home);
  const redact = createRedactor(options.env);
  try {
    if (resumed === undefined) createState(home, begun);
    else refuseArchived(requireState(home));
    const dir = options.loaded?.dir ?? begun.dir;
    const mirror = await openMirror({
      ...{ commonDir: repository.commonDir, dir, name: begun.name },
      isAsked: options.mirror === true,
      warn: (message) => onEvent({ type: "warning", message }),
    });
    const { fleet } = options;
    const store = openState(home, now, {
      onSaved(state, text) {
        mirror?.follow(state);
        fleet?.saved(text);
      },
      onNoted: fleet && ((text) => fleet.saved(text)),
    });
    try {
      store.limit(options.typed ?? {});
      store.moveTo(dir);
      await askPush(options, { store, tell: onEvent, redact, signal });
      mirror?.follow(store.current);
      const places = { env: options.env, state: options.stateFolder };
      const trees = findTreesFolder(repository, store.current, places);
      const readNebula = specReader(home, () => store.current.revision);
      let { limits } = options;
      const engine = await makeEngine({
        ...{ repository, home, store, signal, now, tell: onEvent, trees, redact },
        ...{ stateFolder: options.stateFolder, keys: options.keys },
        ...{ optionsOf: options.optionsOf, commandEnv: options.commandEnv },
        limitsNow: () => limits,
        admit(spec) {
          limits = options.admit?.(spec) ?? limits;
        },
        checkpointOf: async (phase) => mirror?.checkpointOf(phase),
        landingsOnly: options.landingsOnly,
        acceptsRedBase: options.acceptsRedBase === true,
        failsFast: options.failsFast === true,
        trustsRuns: options.trustsRuns === true,
        withoutOwnHook: options.withoutOwnHook,
        acceptSettings: options.acceptSettings,
        fleet: options.fleet,
        steering: createSteering({
          ...{ home, store, now, tell: onEvent, endNow: () => ending.abort() },
          dir,
          get spec() {
            return readNebula();
          },
        }),
      });
      for (const message of engine.controls.accepted) {
        note(engine, { type: "warning", message: `accepted: ${message}` });
      }
      // A worker on this machine may run commands of the same nebula.
      if (engine.fleet === undefined) await endLeftCommands(engine);
      const hasBegun = store.current.ownsBranch;
      await openBranch(engine);
      if (hasBegun) store.note({ type: "engine_begins" });
      onBegun();
      openTreesFolder(repository, engine);
      await repairTrees(engine);
      const reason = await drive(engine);
      if (reason === "done") await pushBranchOf(engine);
      return noteEnd(store, reason);
    } catch (error) {
      // What an interrupted git or command throws is no failure.
      if (error === signal.reason) return noteEnd(store, "interrupted");
      throw noteError(store, endedBy(error, begun), redact);
    } finally {
      store.close();
      await mirror?.settled();
    }
  } finally {
    lock.release();
  }
}

/**
 * The branch, at the nebula's base where nothing has landed yet.
 *
 * @throws {NebulaError} `ERR_BRANCH` where somebody else has made one of that name since the nebula was first saved, or a
 *   work tree is on it while it is to be made.
 */
async function openBranch(engine: Engine): Promise<void> {
  const { repository, store, signal, tell } = engine;
  const { branch, base, id, ownsBranch } = store.current;
  const ref = branchRef(engine);
  await holdRef(engine, refsOf(id).base, base);
  if (ownsBranch && landedPhases(store.current).length > 0) return;
  const isThere = (await refSha(repository, ref, { signal })) !== undefined;
  if (!isThere) {
    await requireFreeLane(engine);
    const swap = { ref, from: undefined, to: base, message: "nebula begins", signal };
    await compareAndSwapRef(repository, swap);
  }
  if (ownsBranch) return;
  if ((await refSha(repository, ref, { signal })) !== base) {
    const message = `there is a branch ${branch} that this nebula has not made`;
    const next = [{ shell: await moveBranchCommand(repository, branch) }];
    throw new NebulaError("ERR_BRANCH", message, { next });
  }
  const event = { type: "nebula_begun", id, base } as const;
  store.ownBranch(event);
  tell(event);
}
