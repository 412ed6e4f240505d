import { flag, list, runId, whole } from "../../shared/schemas/kinds.ts";
import { line, type Printed } from "../../shared/schemas/line.ts";

export const pruneLine = line("prune", "Runs were removed", {
  dryRun: flag("Whether they only would be"),
  runs: list(runId("A run"), "Those that have gone, or would go"),
  bytes: whole("What their files held, in bytes"),
});

export type PruneLine = Printed<typeof pruneLine>;
