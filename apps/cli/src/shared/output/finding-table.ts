import type { CheckpointFinding } from "@quasar/checkpoint";
import { FINDING_STATUSES } from "@quasar/runs/words";
import { cleanLine, fit } from "@quasar/runs/text";
import { checkOf, tellingLines } from "./check-output.ts";
import { tableLines } from "./table.ts";
import type { View } from "./text.ts";

/** That of a reviewer is a paragraph; one of a check keeps the lines that say what is wrong. */
function described(description: string): string {
  const failed = checkOf(description);
  if (failed === undefined) return fit(cleanLine(description), 600);
  return [`${cleanLine(failed.check)} failed`, ...tellingLines(failed.printed)].join("\n");
}

/** What reviewers found, and what became of it, in a run or in the runs of a task; the latter have `run`. */
export function findingTable(
  findings: readonly (CheckpointFinding & { readonly run?: string | undefined })[],
  view: View,
): string[] {
  if (findings.length === 0) return [];
  const rows = findings.map(({ run = "", cycle, severity, status, description }) => [
    run,
    `${cycle}`,
    FINDING_STATUSES[status],
    fit(cleanLine(severity), 12),
    described(description),
  ]);
  const head = ["run", "cycle", "status", "severity", "finding"];
  return tableLines(head, rows, ["left", "right", "left", "left", "left"], view);
}
