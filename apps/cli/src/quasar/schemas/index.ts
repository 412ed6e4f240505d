import { agentsLine } from "../../shared/schemas/agents.ts";
import { completionLine } from "../../shared/schemas/completion.ts";
import { configLine } from "../../shared/schemas/config.ts";
import { diffLine } from "../../shared/schemas/diff.ts";
import { errorLine } from "../../shared/schemas/error-line.ts";
import { initLine } from "../../shared/schemas/init.ts";
import type { LinesOf } from "../../shared/schemas/line.ts";
import { schemaLine, schemasLine } from "../../shared/schemas/schema.ts";
import { abandonLine } from "./abandon.ts";
import { costLine } from "./cost.ts";
import { doctorLine } from "./doctor.ts";
import {
  depotInitLine,
  fleetDoctorLine,
  fleetNebulaLine,
  fleetServeLine,
  fleetStatusLine,
  fleetUpLine,
  nebulaFetchLine,
  nebulaSubmitLine,
  WORKER_LINES,
} from "./fleet.ts";
import { forkLine } from "./fork.ts";
import { LOG_LINES } from "./log.ts";
import { listLine } from "./list.ts";
import { mcpConfigLine } from "./mcp.ts";
import {
  NEBULA_APPLY_LINES,
  NEBULA_DEMO_LINES,
  NEBULA_LOG_LINES,
  nebulaAnswerLine,
  nebulaStatusLine,
} from "./nebula-apply.ts";
import { nebulaGenerateLine } from "./nebula-generate.ts";
import {
  nebulaPauseLine,
  nebulaPruneLine,
  nebulaSquashLine,
  nebulaStopLine,
  nebulaUpdateBaseLine,
  nebulaUpdateLine,
} from "./nebula-care.ts";
import { nebulaPhaseLine, nebulaShowLine } from "./nebula-show.ts";
import { nebulaPlanLine, nebulaValidateLine } from "./nebula.ts";
import { planLine } from "./plan.ts";
import { pruneLine } from "./prune.ts";
import { nebulaReportLine } from "./nebula-report.ts";
import { reportLine } from "./report.ts";
import { DEMO_LINES, RUN_LINES } from "./run.ts";
import { showLine, turnLine } from "./show.ts";
import { restoreLine, snapshotsLine } from "./snapshots.ts";
import { statusLine } from "./status.ts";
import { webLine } from "./web.ts";

/** What each command may print with `--json`; `error`: any of them. */
export const LINES: LinesOf = {
  abandon: [abandonLine, errorLine],
  agents: [agentsLine, errorLine],
  completion: [completionLine, errorLine],
  config: [configLine, errorLine],
  cost: [costLine, errorLine],
  demo: DEMO_LINES,
  "depot init": [depotInitLine, errorLine],
  diff: [diffLine, errorLine],
  doctor: [doctorLine, errorLine],
  error: [errorLine],
  "fleet doctor": [fleetDoctorLine, errorLine],
  "fleet serve": [fleetServeLine, errorLine],
  "fleet status": [fleetStatusLine, errorLine],
  "fleet up": [fleetUpLine, errorLine],
  fork: [forkLine, errorLine],
  init: [initLine, errorLine],
  log: LOG_LINES,
  list: [listLine, errorLine],
  ls: [listLine, errorLine],
  mcp: [mcpConfigLine, errorLine],
  "nebula answer": [nebulaAnswerLine, errorLine],
  "nebula apply": [...NEBULA_APPLY_LINES, nebulaSubmitLine],
  "nebula approve": [nebulaAnswerLine, errorLine],
  "nebula continue": [nebulaPauseLine, errorLine],
  "nebula demo": NEBULA_DEMO_LINES,
  "nebula diff": [diffLine, errorLine],
  "nebula fetch": [nebulaFetchLine, errorLine],
  "nebula generate": [nebulaGenerateLine, errorLine],
  "nebula land": NEBULA_APPLY_LINES,
  "nebula log": NEBULA_LOG_LINES,
  "nebula pause": [nebulaPauseLine, errorLine],
  "nebula plan": [nebulaPlanLine, errorLine],
  "nebula prune": [nebulaPruneLine, errorLine],
  "nebula reject": [nebulaAnswerLine, errorLine],
  "nebula retry": [nebulaAnswerLine, errorLine],
  "nebula show": [nebulaShowLine, nebulaPhaseLine, errorLine],
  "nebula skip": [nebulaAnswerLine, errorLine],
  "nebula squash": [nebulaSquashLine, errorLine],
  "nebula status": [nebulaStatusLine, fleetNebulaLine, errorLine],
  "nebula stop": [nebulaStopLine, errorLine],
  "nebula update": [nebulaUpdateLine, errorLine],
  "nebula update-base": [...NEBULA_APPLY_LINES, nebulaUpdateBaseLine],
  "nebula validate": [nebulaValidateLine, schemaLine, errorLine],
  prune: [pruneLine, errorLine],
  report: [reportLine, nebulaReportLine, errorLine],
  restore: [restoreLine, errorLine],
  resume: [...RUN_LINES, planLine],
  run: RUN_LINES,
  schema: [schemasLine, schemaLine, errorLine],
  show: [showLine, turnLine, errorLine],
  snapshots: [snapshotsLine, errorLine],
  status: [statusLine, errorLine],
  watch: [...LOG_LINES, ...NEBULA_LOG_LINES],
  web: [webLine, errorLine],
  worker: WORKER_LINES,
};
