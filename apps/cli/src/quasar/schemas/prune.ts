import { flag, list, runId, whole } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";

export const pruneLine = result("prune", "Runs were removed", {
  dryRun: flag("Whether they only would be"),
  runIds: list(runId("A run"), "Those that have gone, or would go"),
  sizeBytes: whole("What their files held, in bytes"),
});

export type PruneLine = Printed<typeof pruneLine>;
