import { existsSync } from "node:fs";
import { cleanLine, count, shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { nebulaHome } from "./home.ts";
import { engineOf, stepsBesideEngine } from "./lock.ts";
import { resumeCommand } from "./resume-command.ts";
import type { NebulaState } from "./state.ts";

/** @throws {NebulaError} `ERR_LOCKED` where an engine works on the nebula. */
export function refuseWorkedOn(
  commonDir: string,
  { id, name }: Pick<NebulaState, "id" | "name">,
): void {
  const engine = engineOf(nebulaHome(commonDir, id));
  if (engine === undefined) return;
  const message = `process ${engine.pid} works on the nebula ${cleanLine(name)}`;
  throw new NebulaError("ERR_LOCKED", message, { next: stepsBesideEngine(id) });
}

/** Why no other nebula begins from the folder of one that has not ended. */
export function unfinishedError({
  id,
  name,
  dir,
  phases,
}: Pick<NebulaState, "id" | "name" | "dir" | "phases">): NebulaError {
  const open = phases.filter(({ status }) => status !== "done").length;
  const message = `the nebula ${cleanLine(name)} has ${count(open, "unfinished phase")}`;
  return new NebulaError("ERR_UNFINISHED", message, {
    next: [
      { shell: resumeCommand({ id }) },
      // Its own copy of its files does for a resume, and not for a beginning.
      ...(existsSync(dir)
        ? [{ shell: `quasar nebula apply ${shellWord(dir)} --auto --fresh` }]
        : []),
    ],
  });
}
