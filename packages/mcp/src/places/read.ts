import { type NebulaFacts, openNebulaFacts } from "@quasar/nebula/facts";
import type { Workspace } from "@quasar/runs";
import { openRunFacts, readRunFacts, type RunFacts } from "@quasar/runs/facts";
import { findNebulaPlace, isNebulaId } from "./find-nebula.ts";
import { findRunPlace } from "./find-run.ts";

/** A run or a nebula, as it stands now. */
export type Read =
  | { readonly kind: "run"; readonly facts: RunFacts }
  | { readonly kind: "nebula"; readonly facts: NebulaFacts };

/** @throws {McpError} `ERR_NOT_FOUND` @throws {RunsError} */
export async function readAny(own: Workspace, id: string): Promise<Read> {
  return (await openAny(own, id))();
}

/**
 * A run or a nebula that is read again and again: a look costs what is new.
 *
 * @returns What gives it as it stands now.
 * @throws {McpError} `ERR_NOT_FOUND` @throws {RunsError} also at a look
 */
export async function openAny(own: Workspace, id: string): Promise<() => Promise<Read>> {
  if (isNebulaId(id)) {
    const { repositoryId } = own;
    const reader = openNebulaFacts(repositoryId, findNebulaPlace(own, id).id);
    return async () => ({ kind: "nebula", facts: await reader.look() });
  }
  const { workspace, id: runId } = await findRunPlace(own, id);
  const reader = openRunFacts(workspace, runId);
  return async () => {
    const facts = (await reader.look()) ?? (await readRunFacts(workspace, runId));
    return { kind: "run", facts };
  };
}

/** @throws {McpError} `ERR_NOT_FOUND` @throws {RunsError} */
export async function readRun(own: Workspace, id: string): Promise<RunFacts> {
  const { workspace, id: runId } = await findRunPlace(own, id);
  return readRunFacts(workspace, runId);
}
