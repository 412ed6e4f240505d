import * as v from "valibot";
import { list, runId, steps, texts } from "../../shared/schemas/kinds.ts";
import { line, type Printed } from "../../shared/schemas/line.ts";

export const abandonLine = line("abandon", "A run was given up", {
  runId: runId(),
  ended: list(v.number(), "The processes of its agent that were ended"),
  uncommitted: texts("Paths that are not committed, and stay as they are"),
  next: steps(),
});

export type AbandonLine = Printed<typeof abandonLine>;
