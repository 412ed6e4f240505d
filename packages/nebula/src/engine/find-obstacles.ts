import { existsSync } from "node:fs";
import type { Repository } from "@quasar/git";
import { openSharedControls } from "@quasar/runs/internal";
import type { PhaseRunOptions } from "../context/context.ts";
import { findLaneObstacle } from "../landing/obstacle.ts";
import { nebulaHome } from "../state/home.ts";
import { isUnfinished } from "../state/list.ts";
import type { NebulaState } from "../state/state.ts";
import { settingsObstacle } from "./settings.ts";

/** What stands in the way of a nebula's work, whether an engine works on it or not. */
export interface NebulaObstacle {
  /** `work`: no phase begins. `landing`: none lands. */
  readonly stops: "work" | "landing";
  readonly message: string;
  /** The command that gets nearer to removing it; `undefined`: a resume that accepts git's settings does. */
  readonly shell?: string | undefined;
}

/**
 * What stands in the way of a nebula that has not ended, as an engine would find it now. Nothing is written.
 *
 * @throws {GitError} where git's settings or work trees cannot be read.
 */
export async function findObstacles(
  repository: Repository,
  state: NebulaState,
  { withoutOwnHook: withoutOwn }: Pick<PhaseRunOptions, "withoutOwnHook">,
): Promise<readonly NebulaObstacle[]> {
  if (!isUnfinished(state)) return [];
  const { controls: file } = nebulaHome(repository.commonDir, state.id);
  const controls = existsSync(file)
    ? await openSharedControls(repository, { file, withoutOwn, readsOnly: true })
    : undefined;
  const changed = controls && (await settingsObstacle({ controls }));
  const lane = await findLaneObstacle({ repository, branch: state.branch });
  return [
    ...(changed === undefined ? [] : [{ stops: "work", message: changed } as const]),
    ...(lane === undefined ? [] : [{ stops: "landing", ...lane } as const]),
  ];
}
