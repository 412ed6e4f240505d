import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterCoder } from "@quasar/runs/internal";
import type { Engine } from "../context/context.ts";
import { runsFolder } from "../state/home.ts";
import type { PhaseState } from "../state/state.ts";
import { treePath } from "../trees/tree.ts";
import { specOtherThan } from "./task-text.ts";

/**
 * Whether the coder of a phase that fails has finished and need not work again, by what its run has saved, whatever has
 * ended that. A run that was asked another text than the phase has by now begins again, and so does one that cannot be
 * read, or whose uncommitted work is gone with its tree.
 */
export async function isCoderDone(
  engine: Engine,
  { id, ref, runId }: Pick<PhaseState, "id" | "ref" | "runId">,
): Promise<boolean> {
  const after = await afterCoder(join(runsFolder(engine.home, ref), runId)).catch(() => undefined);
  if (after === undefined || specOtherThan(engine, id, after.task) !== undefined) return false;
  return after.step === "review" || existsSync(join(treePath(engine, ref), ".git"));
}
