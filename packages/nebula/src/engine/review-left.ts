import { join } from "node:path";
import { taskInReview } from "@quasar/runs/internal";
import type { Engine } from "../context/context.ts";
import { runsFolder } from "../state/home.ts";
import type { PhaseState } from "../state/state.ts";
import { specOtherThan } from "./task-text.ts";

/**
 * Whether the run of a phase that fails is at a review, by what it has saved: whatever has ended it, its coder need not
 * work again. A run that was asked another text than the phase has by now begins again, and so does one that cannot be
 * read.
 */
export async function isReviewLeft(
  engine: Engine,
  { id, ref, runId }: Pick<PhaseState, "id" | "ref" | "runId">,
): Promise<boolean> {
  const runDir = join(runsFolder(engine.home, ref), runId);
  const task = await taskInReview(runDir).catch(() => undefined);
  return task !== undefined && specOtherThan(engine, id, task) === undefined;
}
