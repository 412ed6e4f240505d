import { type NebulaFacts, readNebulaFacts } from "@quasar/nebula/facts";
import type { Workspace } from "@quasar/runs";
import { readRunFacts, type RunFacts } from "@quasar/runs/facts";
import { findNebulaPlace, isNebulaId } from "./find-nebula.ts";
import { findRunPlace } from "./find-run.ts";

/** A run or a nebula, as it stands now. */
export type Read =
  | { readonly kind: "run"; readonly facts: RunFacts }
  | { readonly kind: "nebula"; readonly facts: NebulaFacts };

/** @throws {McpError} `ERR_NOT_FOUND` @throws {RunsError} */
export async function readAny(own: Workspace, id: string): Promise<Read> {
  return isNebulaId(id)
    ? { kind: "nebula", facts: await readNebula(own, id) }
    : { kind: "run", facts: await readRun(own, id) };
}

/** @throws {McpError} `ERR_NOT_FOUND` @throws {RunsError} */
export async function readRun(own: Workspace, id: string): Promise<RunFacts> {
  const place = await findRunPlace(own, id);
  return readRunFacts(place.workspace, place.id);
}

async function readNebula(own: Workspace, id: string): Promise<NebulaFacts> {
  return readNebulaFacts(own.repositoryId, findNebulaPlace(own, id));
}
