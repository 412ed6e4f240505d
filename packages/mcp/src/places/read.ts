import { type NebulaFacts, openNebulaFacts } from "@quasar/nebula/facts";
import type { Workspace } from "@quasar/runs";
import { openRunFacts, readRunFacts, type RunFacts } from "@quasar/runs/facts";
import type { CallContext } from "../tools/tool.ts";
import { findNebulaPlace, isNebulaId } from "./find-nebula.ts";
import { findRunPlace } from "./find-run.ts";

/** A run or a nebula, as it stands now. */
export type Read =
  | { readonly kind: "run"; readonly facts: RunFacts }
  | { readonly kind: "nebula"; readonly facts: NebulaFacts };

/** Where runs and nebulae are, and the limits of the latter. */
export type Places = Pick<CallContext, "workspace" | "nebulaLimits">;

/** @throws {McpError} `ERR_NOT_FOUND` @throws {RunsError} */
export async function readAny(places: Places, id: string): Promise<Read> {
  return (await openAny(places, id))();
}

/**
 * A run or a nebula that is read again and again: a look costs what is new.
 *
 * @returns What gives it as it stands now.
 * @throws {McpError} `ERR_NOT_FOUND` @throws {RunsError} also at a look
 */
export async function openAny(
  { workspace: own, nebulaLimits }: Places,
  id: string,
): Promise<() => Promise<Read>> {
  if (isNebulaId(id)) {
    const { repositoryId } = own;
    const limitsOf = nebulaLimits?.(own);
    const reader = openNebulaFacts(repositoryId, findNebulaPlace(own, id).id, { limitsOf });
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
