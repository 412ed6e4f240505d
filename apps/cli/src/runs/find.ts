import { join } from "node:path";
import type { LoadedCheckpoint } from "@quasar/checkpoint";
import { CliError } from "../errors.ts";
import { parseRunId } from "../run-id.ts";
import type { Workspace } from "../workspace.ts";
import { runIds } from "./list.ts";
import { loadRun, runStores } from "./store.ts";

/** A run that is looked at. */
export interface FoundRun {
  readonly id: string;
  /** Where its files are. */
  readonly dir: string;
  readonly loaded: LoadedCheckpoint;
  /** Whether nothing of it is to be gone on with. */
  readonly ended: boolean;
}

/**
 * The run that is named, or the newest that can be read.
 *
 * @throws {CliError} `ERR_USAGE` when there is no such run; `ERR_NOTHING_TO_RESUME` when there is none.
 */
export async function findRun(workspace: Workspace, id: string | undefined): Promise<FoundRun> {
  const wanted = id === undefined ? undefined : parseRunId(id);
  const ids = runIds(workspace).filter((known) => wanted === undefined || known === wanted);
  for (const each of ids) {
    const { loaded, ended } = await loadRun(runStores(workspace, each));
    const dir = join(workspace.runsDir, each);
    if (loaded !== undefined) return { id: each, dir, loaded, ended };
  }
  if (wanted === undefined) {
    throw new CliError("ERR_NOTHING_TO_RESUME", "no runs in this work tree yet", {
      next: ['quasar run "…"', "quasar demo"],
    });
  }
  const what = ids.length === 0 ? "there is no run" : "nothing can be read of run";
  throw new CliError("ERR_USAGE", `${what} ${wanted} in this work tree`, { next: ["quasar ls"] });
}
