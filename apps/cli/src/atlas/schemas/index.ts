import { agentsLine } from "../../shared/schemas/agents.ts";
import { completionLine } from "../../shared/schemas/completion.ts";
import { configLine } from "../../shared/schemas/config.ts";
import { diffLine } from "../../shared/schemas/diff.ts";
import { errorLine } from "../../shared/schemas/error-line.ts";
import type { LinesOf } from "../../shared/schemas/line.ts";
import { schemaLine, schemasLine } from "../../shared/schemas/schema.ts";
import * as decision from "./decisions.ts";
import * as hook from "./hook.ts";
import * as keys from "./keys.ts";
import * as other from "./others.ts";
import { showLine, turnLine } from "./show.ts";
import * as status from "./status.ts";
import { LOG_LINES, TASK_LINES, VALIDATION_LINES } from "./work.ts";
import * as workspace from "./workspaces.ts";

/**
 * What each command may print with `--json`; `error`: any of them. Not `hook export`: it prints a document, in the
 * form of the task's files.
 */
export const LINES: LinesOf = {
  abandon: [decision.abandonLine, errorLine],
  agents: [agentsLine, errorLine],
  approve: [decision.reviewLine, decision.approveLine, errorLine],
  checkpoint: [hook.checkpointLine, errorLine],
  cleanup: [other.cleanupLine, errorLine],
  completion: [completionLine, errorLine],
  config: [configLine, errorLine],
  cost: [other.costLine, errorLine],
  diff: [diffLine, errorLine],
  doctor: [other.doctorLine, errorLine],
  error: [errorLine],
  "hook acknowledge": [hook.hookAcknowledgeLine, errorLine],
  "hook checkpoints": [hook.checkpointsLine, errorLine],
  "hook context": [hook.hookContextLine, errorLine],
  "hook install": [hook.gitHookLine, errorLine],
  "hook regenerate": [hook.hookRegenerateLine, errorLine],
  "hook status": [status.hookStatusLine, errorLine],
  "hook uninstall": [hook.gitHookLine, errorLine],
  "hook verify-receipt": [hook.receiptLine, errorLine],
  init: [other.initLine, errorLine],
  "keys backup": [keys.keyBackupLine, errorLine],
  "keys export": [keys.publicKeysLine, errorLine],
  "keys init": [keys.keyLine, errorLine],
  "keys rotate": [keys.keyLine, errorLine],
  "keys status": [keys.keysLine, errorLine],
  list: [status.tasksLine, errorLine],
  log: LOG_LINES,
  prune: [other.cleanupLine, errorLine],
  recover: [
    status.recoverLine,
    ...TASK_LINES,
    decision.reviewLine,
    decision.approveLine,
    decision.rejectLine,
    decision.retryLine,
    decision.skipLine,
    decision.abandonLine,
  ],
  reject: [decision.rejectLine, errorLine],
  resume: TASK_LINES,
  retry: [decision.retryLine, errorLine],
  schema: [schemasLine, schemaLine, errorLine],
  show: [showLine, turnLine, errorLine],
  skip: [decision.skipLine, errorLine],
  start: TASK_LINES,
  status: [status.statusLine, status.tasksLine, errorLine],
  "step done": [decision.stepDoneLine, errorLine],
  templates: [other.templatesLine, errorLine],
  validate: VALIDATION_LINES,
  verify: [status.verifyLine, errorLine],
  "workspace close": [workspace.workspaceCloseLine, errorLine],
  "workspace destroy": [workspace.workspaceDestroyLine, errorLine],
  "workspace list": [workspace.workspacesLine, errorLine],
};
