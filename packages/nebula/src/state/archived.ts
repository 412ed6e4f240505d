import { cleanLine } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import type { NebulaState } from "./state.ts";

/** Why nothing is decided or done about a nebula in whose place another one was begun; `undefined`: it is none. */
export function whyArchived({
  name,
  archivedFrom,
}: Pick<NebulaState, "name" | "archivedFrom">): string | undefined {
  if (archivedFrom === "") return undefined;
  return `the nebula ${cleanLine(name)} is archived: another one was begun in its place`;
}

/** @throws {NebulaError} `ERR_USAGE` where the nebula is archived. */
export function refuseArchived(state: Pick<NebulaState, "name" | "archivedFrom">): void {
  const why = whyArchived(state);
  if (why !== undefined) throw new NebulaError("ERR_USAGE", why);
}
