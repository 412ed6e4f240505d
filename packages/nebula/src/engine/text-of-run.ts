import { join } from "node:path";
import { namesIn } from "@quasar/process/files";
import { NebulaError } from "../errors.ts";
import { readSpec } from "../state/copy.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { nebulaHome } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";
import { isOfText } from "./task-text.ts";

/**
 * The text of a phase that a run was asked, where an update has given the phase another one since; `undefined`: the
 * run was asked the phase's text as it is now.
 *
 * @param commonDir - The git folder that all work trees share.
 * @param task - Of the run.
 */
export function earlierText(
  commonDir: string,
  { id, revision }: Pick<NebulaState, "id" | "revision">,
  { phase, task }: { readonly phase: string; readonly task: string },
): string | undefined {
  const home = nebulaHome(commonDir, id);
  if (bodyIn(readSpec(home, revision), phase, task) !== undefined) return undefined;
  for (const kept of namesIn(join(home.dir, "spec"))) {
    const body = bodyIn(
      known(() => readSpec(home, kept)),
      phase,
      task,
    );
    if (body !== undefined) return body;
  }
  // What can be said of a copy that is gone.
  return task;
}

function bodyIn(nebula: NebulaSpec | undefined, id: string, task: string): string | undefined {
  const spec = nebula?.phases.find((phase) => phase.id === id);
  if (nebula === undefined || spec === undefined) return undefined;
  return isOfText(task, nebula, spec) ? spec.body : undefined;
}

/** A copy that cannot be read says nothing. */
function known(read: () => NebulaSpec): NebulaSpec | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NebulaError) return undefined;
    throw error;
  }
}
