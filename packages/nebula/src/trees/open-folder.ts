import { accessSync, constants, existsSync } from "node:fs";
import type { Repository } from "@quasar/git";
import { makeFolders } from "@quasar/process/files";
import { messageOf } from "@quasar/runs/internal";
import { count, shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { resumeCommand } from "../state/resume-command.ts";
import { isSettled, type NebulaState, type PhaseState } from "../state/state.ts";
import type { StateStore } from "../state/store.ts";
import { type TreePlaces, treesFolder } from "./place.ts";

/**
 * Where the work trees of a nebula are to be; nothing is made or saved.
 *
 * @throws {NebulaError} `ERR_DAMAGED` where the folder is gone in which phases were worked on: their work may be on a disk
 *   that is not mounted, and would be paid for again.
 */
export function findTreesFolder(
  repository: Pick<Repository, "root" | "commonDir">,
  state: NebulaState,
  places: TreePlaces,
): string {
  const trees = treesFolder(repository, state, places);
  const isGone =
    trees === state.trees && state.treesOf === repository.commonDir && !existsSync(trees);
  const atWork = isGone ? state.phases.filter(isAtWork).length : 0;
  if (atWork === 0) return trees;
  const message = `the folder of the work trees is gone: ${trees}; ${count(atWork, "phase")} had work in it`;
  const again = `mkdir -p ${shellWord(trees)} && ${resumeCommand(state)}`;
  throw new NebulaError("ERR_DAMAGED", message, {
    next: [
      { note: "mount its disk, or move it back, then resume" },
      { shell: again, note: "works from the last commits; what was uncommitted is paid for again" },
      { note: "QUASAR_TREES=FOLDER before the resume does the same in another folder" },
    ],
  });
}

/** Its run has begun, and is not approved yet. */
function isAtWork(phase: PhaseState): boolean {
  return phase.runId !== "" && phase.tip === "" && !isSettled(phase);
}

/**
 * Makes the folder of the work trees, and keeps in the state where it is: later engines work there, wherever and in whatever
 * environment they are started.
 *
 * @throws {NebulaError} `ERR_DAMAGED` where it cannot be made or written: no work tree is made.
 */
export function openTreesFolder(
  { commonDir }: Pick<Repository, "commonDir">,
  { store, trees }: { readonly store: StateStore; readonly trees: string },
): void {
  try {
    makeFolders(trees);
    accessSync(trees, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const message = `work trees cannot be made in ${trees}: ${messageOf(cause)}`;
    const next = [{ shell: `ls -ld ${shellWord(trees)}` }, { shell: resumeCommand(store.current) }];
    throw new NebulaError("ERR_DAMAGED", message, { cause, next });
  }
  store.keepTrees({ trees, treesOf: commonDir });
}
