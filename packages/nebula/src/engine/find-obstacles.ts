import { existsSync } from "node:fs";
import type { Repository } from "@quasar/git";
import { refSha } from "@quasar/git/history";
import { openSharedControls } from "@quasar/runs/internal";
import type { PhaseRunOptions } from "../context/context.ts";
import { findLaneObstacle } from "../landing/obstacle.ts";
import { NebulaError } from "../errors.ts";
import { wholeTip } from "../landing/tip.ts";
import { eventsIn } from "../state/events.ts";
import { type NebulaHome, nebulaHome } from "../state/home.ts";
import { isUnfinished } from "../state/list.ts";
import type { NebulaState } from "../state/state.ts";
import { failedBase, redBaseWords } from "./red-base.ts";
import { settingsObstacle } from "./settings.ts";

/** What stands in the way of a nebula's work, whether an engine works on it or not. */
export interface NebulaObstacle {
  /** `work`: no phase begins. `landing`: none lands. */
  readonly stops: "work" | "landing";
  readonly message: string;
  /** The commands that remove it, in this order. @default none */
  readonly shells?: readonly string[] | undefined;
  /** With what the branch fails by itself. @default it is not known to fail */
  readonly fails?: "verify" | "setup" | undefined;
  /** What a resume may accept as it is: git's settings, or that `verify` fails on the branch by itself. @default nothing */
  readonly accepts?: "settings" | "red-base" | undefined;
}

/**
 * What stands in the way of a nebula, as an engine would find it now; of one that has ended only that its branch lacks
 * what has landed. Nothing is written.
 *
 * @throws {GitError} where git's settings or work trees cannot be read.
 */
export async function findObstacles(
  repository: Repository,
  state: NebulaState,
  { withoutOwnHook: withoutOwn }: Pick<PhaseRunOptions, "withoutOwnHook">,
): Promise<readonly NebulaObstacle[]> {
  if (state.archivedFrom !== "") return [];
  const { commonDir } = repository;
  const { branch } = state;
  const isOpen = isUnfinished(state);
  // Who has merged all of it may delete the branch.
  if (!isOpen && (await refSha(repository, `refs/heads/${branch}`)) === undefined) return [];
  // A crash may have come before its branch was made.
  const tip = state.ownsBranch
    ? await wholeTip({ repository, state }).catch(asNebulaError)
    : undefined;
  if (tip instanceof NebulaError) {
    const shells = tip.next.flatMap(({ shell = [] }) => shell);
    return [{ stops: "landing", message: tip.message, shells }];
  }
  if (!isOpen) return [];
  const home = nebulaHome(commonDir, state.id);
  const { controls: file } = home;
  const controls = existsSync(file)
    ? await openSharedControls(repository, { file, withoutOwn, readsOnly: true })
    : undefined;
  const changed = controls && (await settingsObstacle({ controls }));
  const red = redBase(home, state, tip);
  const lane = await findLaneObstacle({ repository, branch });
  return [
    ...(changed === undefined
      ? []
      : [{ stops: "work", message: changed, accepts: "settings" } as const]),
    ...(red === undefined ? [] : [red]),
    ...(lane === undefined
      ? []
      : [{ stops: "landing", message: lane.message, shells: [lane.shell] } as const]),
  ];
}

function asNebulaError(error: unknown): NebulaError {
  if (error instanceof NebulaError) return error;
  throw error;
}

/** Why nothing begins on a branch that was found to fail by itself; `undefined`: it was not, or not as it is now. */
function redBase(
  home: NebulaHome,
  { branch }: NebulaState,
  tip: string | undefined,
): NebulaObstacle | undefined {
  const last = failedBase(eventsIn(home));
  if (last === undefined || last.tip !== tip) return undefined;
  const message = redBaseWords(branch, last);
  return last.failsSetUp === true
    ? { stops: "work", message, fails: "setup" }
    : { stops: "work", message, fails: "verify", accepts: "red-base" };
}
