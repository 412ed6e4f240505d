import { findNebula, type NebulaState } from "@quasar/nebula";
import { decidePlan, keptSpec } from "@quasar/nebula/internal";
import type { NebulaPlan } from "@quasar/nebula/plan";
import type { NebulaSpec } from "@quasar/nebula/spec";
import { ask, canAsk } from "../../shared/ask.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { isWithinRun } from "../../shared/within-run.ts";
import { missingCopies } from "./missing-copies.ts";
import { planLines } from "./plan-lines.ts";

/**
 * Asks the person at the terminal about a plan that waits for them. Anything but an explicit word leaves it waiting, and
 * an agent is never asked. A word that has no meaning any more, since the plan is another one by now, is answered with why.
 *
 * @param root - Of the work tree that files are copied from.
 * @returns The nebula with what they have said.
 */
export async function askPlan(
  commonDir: string,
  state: NebulaState,
  root: string,
  planOf: (spec: NebulaSpec) => NebulaPlan,
): Promise<NebulaState> {
  if (isWithinRun() || !canAsk()) return state;
  const spec = keptSpec(commonDir, state);
  const { base: baseSha, branch } = state;
  const base = { baseSha, branch, baseBranch: undefined, uncommittedCount: 0 };
  // What it would run was asked about before it could get here.
  const plan = { ...planOf(spec), asks: [] };
  const missing = missingCopies(spec, root);
  const beside = { base, short: [], estimate: undefined, spent: undefined, missing, warnings: [] };
  write(process.stderr, planLines(spec, plan, beside, viewOf(process.stderr)));
  const said = await ask('Type "approve" to begin, "reject" to stop; anything else waits: ');
  if (said !== "approve" && said !== "reject") return state;
  const decided = decidePlan(commonDir, state, { verb: said });
  if (decided.kind === "refused") write(process.stderr, [`the plan: ${decided.why}`]);
  return findNebula(commonDir, state.id);
}
