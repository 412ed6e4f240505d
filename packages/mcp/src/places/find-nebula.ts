import { listNebulae, type NebulaState } from "@quasar/nebula";
import type { Workspace } from "@quasar/runs";
import { McpError } from "../errors.ts";

const NEBULA_ID = /^[a-z2-7]{10}$/u;

/** Whether a text may be the id of a nebula, and not of a run. */
export function isNebulaId(text: string): boolean {
  return NEBULA_ID.test(text);
}

/** The nebula of an id, never of a name or a path. @throws {McpError} `ERR_NOT_FOUND` */
export function findNebulaPlace({ repositoryId }: Workspace, id: string): NebulaState {
  const found = listNebulae(repositoryId).find((nebula) => nebula.id === id);
  if (found !== undefined) return found;
  throw new McpError("ERR_NOT_FOUND", "there is no such nebula in this repository: see run_list");
}
