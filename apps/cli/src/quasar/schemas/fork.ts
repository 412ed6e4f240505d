import { runId, sha, text, whole } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";

export const forkLine = result("fork", "A new run continues from a state of another one", {
  runId: runId("The new run"),
  fromRunId: runId("The other one"),
  workTree: text("The new run's work tree"),
  branch: text("The new run's branch"),
  baseSha: sha("Where it begins"),
  cycle: whole("The cycle that it is in, from 1"),
  phase: text("The stage of the cycle, as in quasar status"),
});

export type ForkLine = Printed<typeof forkLine>;
