import type { Repository } from "@quasar/git";
import { workTreesOn } from "@quasar/git/landing";
import { makeFolders } from "@quasar/process/files";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import type { Told } from "../events.ts";
import { branchObstacle } from "../landing/obstacle.ts";
import { keepSpec } from "../state/copy.ts";
import type { LoadedNebula } from "../spec/load.ts";
import { planOrder } from "../spec/order.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { branchOf } from "../state/branch.ts";
import { nebulaHome, newNebulaId, phaseRef } from "../state/home.ts";
import { listNebulae, mayLand, refuseUnreadable, unfinishedOf } from "../state/list.ts";
import { branchNames, excludes, moveBranchCommand } from "../state/move-branch.ts";
import { type NebulaState, NO_PUSH, pendingPhase, type TypedLimits } from "../state/state.ts";
import { refuseWorkedOn, unfinishedError } from "../state/unfinished.ts";
import { finishArchiving, openReplaced, type Replaced } from "./archive.ts";
import { requireNebulae } from "./require-nebulae.ts";

/** What begins. */
export interface Beginning {
  /** Of the nebula's folder, or of the current one where that is in none. */
  readonly repository: Repository;
  /** The nebula as its folder has it now: valid. `undefined`: one that has begun is resumed by its own copy. */
  readonly loaded: LoadedNebula | undefined;
  /** The commit that a new one begins at: a full id. */
  readonly base: string;
  /** @default made from the name */
  readonly branch?: string | undefined;
  /** Whether what was begun from the same folder before is archived. @default one that is unfinished is refused */
  readonly fresh?: boolean | undefined;
  /** Limits that a person types: those that are left out stay as they were typed before. @default none */
  readonly typed?: TypedLimits | undefined;
  readonly onEvent: (event: Told) => void;
}

/**
 * What is saved first of a new nebula: nothing of it is in the repository yet. What it takes the place of is archived, once
 * nothing else is in the way. Call it under the lock of beginnings.
 *
 * @throws {NebulaError} `ERR_INVALID_NEBULA`, `ERR_UNFINISHED`, `ERR_LOCKED`, `ERR_BRANCH`, and where a nebula of the repository
 *   cannot be read (`ERR_DAMAGED`, `ERR_INCOMPATIBLE_VERSION`): nothing was changed.
 */
export async function begin(beginning: Beginning, now: Date): Promise<NebulaState> {
  const { repository, base, typed, onEvent } = beginning;
  const loaded = validNebula(beginning.loaded);
  const { spec, dir } = loaded;
  const branch = beginning.branch ?? branchOf(spec.name);
  await finishArchiving(repository);
  const replaced = await replacedBy(beginning, loaded);
  try {
    refuseUnreadable(repository.commonDir);
    await requireNebulae(repository, { spec, dir, base }, (message) =>
      onEvent({ type: "warning", message }),
    );
    await requireFreeBranch(repository, { branch, dir }, replaced);
    for (const each of replaced) await each.archive();
  } finally {
    for (const each of replaced) each.close();
  }
  return firstState(loaded, { commonDir: repository.commonDir, base, branch, typed, now });
}

/** What {@link firstState} makes a state of. */
interface FirstOptions {
  /** The git folder under which the copy of the nebula's files is kept. */
  readonly commonDir: string;
  readonly base: string;
  readonly branch: string;
  readonly typed?: TypedLimits | undefined;
  readonly now: Date;
}

/**
 * The state of a nebula of which nothing has begun; the copy of its files is kept.
 *
 * @throws {NebulaError} `ERR_INVALID_NEBULA`
 */
export function firstState(
  loaded: LoadedNebula,
  { commonDir, base, branch, typed, now }: FirstOptions,
): NebulaState {
  const { spec, dir } = validNebula(loaded);
  const id = newNebulaId();
  const home = nebulaHome(commonDir, id);
  makeFolders(home.dir);
  const phases = planOrder(spec.phases).order.map((phase, at) =>
    pendingPhase(phase.id, phaseRef(at + 1, phase.id), now),
  );
  const revision = keepSpec(home, loaded);
  const createdAt = now.toISOString();
  return {
    ...{ id, name: spec.name, branch, dir, base, revision, createdAt },
    ...{ planVerdict: "", planReason: "", archivedFrom: "", archivedTip: "" },
    ...NO_PUSH,
    ...typed,
    acceptedFailures: [],
    ownsBranch: false,
    phases,
  };
}

type ValidNebula = LoadedNebula & { readonly spec: NebulaSpec };

function validNebula(loaded: LoadedNebula | undefined): ValidNebula {
  if (loaded === undefined) throw new NebulaError("ERR_NOT_FOUND", "there is no nebula to begin");
  const { spec, dir } = loaded;
  if (spec === undefined) throw new NebulaError("ERR_INVALID_NEBULA", `${dir} is not valid`);
  if (spec.phases.length === 0) {
    const message = `the nebula ${cleanLine(spec.name)} has no phases: each is a file <name>.md in ${dir}`;
    throw new NebulaError("ERR_INVALID_NEBULA", message);
  }
  return { ...loaded, spec };
}

/** What was begun from the same folder before. @throws {NebulaError} where it is unfinished, and not to be replaced. */
async function replacedBy(
  { repository, fresh }: Beginning,
  { dir, spec }: ValidNebula,
): Promise<readonly Replaced[]> {
  const { commonDir } = repository;
  const unfinished = unfinishedOf(commonDir, dir, spec.name);
  if (fresh !== true) {
    if (unfinished === undefined) return [];
    refuseWorkedOn(commonDir, unfinished);
    throw unfinishedError(unfinished);
  }
  const isBefore = ({ id, dir: from, archivedFrom }: NebulaState): boolean =>
    archivedFrom === "" && (from === dir || id === unfinished?.id);
  const opened: Replaced[] = [];
  try {
    for (const state of listNebulae(commonDir).filter(isBefore)) {
      opened.push(await openReplaced(repository, state));
    }
  } catch (error) {
    for (const each of opened) each.close();
    throw error;
  }
  return opened;
}

/**
 * Refuses a branch that is there, that git allows none of beside those there are, that another nebula may still land on, or
 * that a work tree is on before it is there.
 *
 * @throws {NebulaError} `ERR_BRANCH`
 */
async function requireFreeBranch(
  repository: Repository,
  { branch, dir }: { readonly branch: string; readonly dir: string },
  replaced: readonly Replaced[],
): Promise<void> {
  const freed = new Set(replaced.flatMap((each) => each.branch ?? []));
  const isOther = ({ id }: NebulaState): boolean => !replaced.some((each) => each.id === id);
  const others = listNebulae(repository.commonDir).filter(isOther);
  const landing = others.filter(mayLand);
  const there = await branchNames(repository);
  const names = [
    ...there.filter((name) => !freed.has(name)),
    ...landing.map((each) => each.branch),
  ];
  const taken =
    names.find((name) => name === branch) ?? names.find((name) => excludes(name, branch));
  if (taken === undefined) {
    if (!freed.has(branch)) await requireNoTree(repository, branch);
    return;
  }
  const by = landing.find((nebula) => nebula.branch === taken);
  const what =
    by === undefined
      ? `there is a branch ${taken} already`
      : `the branch ${taken} is that of the nebula ${cleanLine(by.name)} (${by.id})`;
  const why = taken === branch ? "" : `, beside which git allows no ${branch}`;
  const wasBegun = others.some((state) => state.dir === dir && state.archivedFrom === "");
  const fresh = { shell: `quasar nebula apply ${shellWord(dir)} --auto --fresh` };
  const move = { shell: await moveBranchCommand(repository, taken, branch) };
  const next = [...(wasBegun ? [fresh] : []), ...(by === undefined ? [move] : []), ELSEWHERE];
  throw new NebulaError("ERR_BRANCH", `${what}${why}`, { next });
}

/** Refuses to make a branch that a work tree is on already. @throws {NebulaError} `ERR_BRANCH` */
async function requireNoTree(repository: Repository, branch: string): Promise<void> {
  const [tree] = await workTreesOn(repository, branch);
  if (tree === undefined) return;
  throw new NebulaError("ERR_BRANCH", branchObstacle(branch, tree), { next: [ELSEWHERE] });
}

const ELSEWHERE = { note: "--branch NAME lands on another one" };
