import { basename } from "node:path";
import { NebulaError } from "../errors.ts";
import type { NebulaHome } from "./home.ts";

/** Why nothing is done with a nebula of which nothing is kept. */
export function goneError({ dir }: Pick<NebulaHome, "dir">): NebulaError {
  const message = `there is no nebula ${basename(dir)} any more: it was pruned`;
  return new NebulaError("ERR_NOT_FOUND", message);
}
