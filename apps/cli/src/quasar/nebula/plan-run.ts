import { existsSync } from "node:fs";
import { join } from "node:path";
import { CheckpointError } from "@quasar/checkpoint";
import type { NebulaState, PhaseState } from "@quasar/nebula";
import { nebulaHome, runsFolder, treesFolder } from "@quasar/nebula/internal";
import { RunsError, type Workspace } from "@quasar/runs";
import {
  findCheckpoint,
  type Item,
  makePlan,
  openUser,
  openWorkspace,
  repositoryOf,
} from "@quasar/runs/internal";
import { resolve } from "../../shared/config/layers.ts";
import { CliError } from "../../shared/errors.ts";
import { layersOf, resumedWith } from "../resume/settings.ts";

/** What becomes of a part of a phase's run. */
export type PlannedItem = Pick<Item, "kind" | "message">;

/**
 * What a resume does with the run of a phase, as `quasar resume --plan` says it of any run: whether its agent is followed,
 * its result used, its session continued, or its turn begun again. Takes no lock and writes nothing.
 *
 * @returns `undefined` where that cannot be known before.
 */
export async function planRun(
  workspace: Workspace,
  state: NebulaState,
  { ref, runId }: Pick<PhaseState, "ref" | "runId">,
): Promise<readonly PlannedItem[] | undefined> {
  const user = openUser();
  const places = { env: process.env, state: user.folders.state };
  const tree = join(treesFolder(repositoryOf(workspace), state, places), ref);
  if (!existsSync(join(tree, ".git"))) return TREE_GONE;
  try {
    const home = runsFolder(nebulaHome(workspace.repositoryId, state.id), ref);
    const ofPhase = await openWorkspace(tree, { home });
    const key = user.existingSealKey();
    const found = await findCheckpoint(ofPhase, runId, key, (store) => store.load());
    const settings = resolve(layersOf(found, user, {}, ofPhase.root));
    // An agent that is not installed is named where one is to work.
    const options = resumedWith(settings, found.loaded.checkpoint, () => {});
    // A limit that stands is said by the nebula.
    const { items } = await makePlan(ofPhase, found, { options, accepts: new Set(), now: true });
    return items.filter(isOfRun).map(({ kind, message }) => ({ kind, message }));
  } catch (error) {
    if (isOwn(error)) return undefined;
    throw error;
  }
}

const TREE_GONE: readonly PlannedItem[] = [
  {
    kind: "run-again",
    message:
      "its work tree is gone: it is made again at the run's last commit, and a turn that was under way begins again",
  },
];

/** How far the run is stands beside it, and that an engine has its tree is no obstacle once that has ended. */
function isOfRun({ kind, data }: Item): boolean {
  return kind !== "restored" && data["check"] !== "lock";
}

/** Whether an error says why nothing is known: the engine meets it, too, and says what helps. */
function isOwn(error: unknown): boolean {
  return [CliError, RunsError, CheckpointError].some((one) => error instanceof one);
}
