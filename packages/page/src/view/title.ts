import { firstLine } from "@quasar/runs/text";
import type { ReportData } from "../report-data.ts";

/** The page's name, in one line. */
export function titleOf(data: ReportData): string {
  if (data.kind === "nebula") return `nebula ${data.nebula.name}`;
  return firstLine(data.run.task) || `run ${data.run.id}`;
}
