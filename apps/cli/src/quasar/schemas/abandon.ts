import * as v from "valibot";
import { list, runId, texts } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";

export const abandonLine = result("abandon", "A run was given up", {
  runId: runId(),
  endedPids: list(v.number(), "The processes of its agent that were ended"),
  uncommitted: texts("Paths that are not committed, and stay as they are"),
});

export type AbandonLine = Printed<typeof abandonLine>;
