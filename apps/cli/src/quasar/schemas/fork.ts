import { runId, sha, steps, text, whole } from "../../shared/schemas/kinds.ts";
import { line, type Printed } from "../../shared/schemas/line.ts";

export const forkLine = line("fork", "A new run goes on from a state of another one", {
  runId: runId("The new run"),
  from: runId("The other one"),
  workDir: text("The new run's work tree"),
  branch: text("The new run's branch"),
  commit: sha("Where it begins"),
  cycle: whole("The cycle that it is in, from 1"),
  phase: text("The stage of the cycle, as in quasar status"),
  next: steps(),
});

export type ForkLine = Printed<typeof forkLine>;
