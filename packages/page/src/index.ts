export type { ChangeDiff, Evidence, NebulaReport, ReportData, RunReport } from "./report-data.ts";
export { isReportPage } from "./document.ts";
export {
  type RenderedReport,
  renderReport,
  type RenderOptions,
  type ReportFile,
} from "./render-report.ts";
