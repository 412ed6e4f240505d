export { reportOf, tableOf, type TortureReport } from "../report.ts";
