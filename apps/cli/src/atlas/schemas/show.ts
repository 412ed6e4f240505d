import * as v from "valibot";
import { flag, list, object, sha, text, texts, usd } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { agentEvent, finding } from "../../shared/schemas/parts.ts";
import { turn } from "../../shared/schemas/turn.ts";
import {
  awaiting,
  found,
  hookState,
  quarantinedFile,
  receiptChain,
  stepRecord,
  stepResult,
} from "./parts.ts";

const run = object(
  {
    name: text("The step, and which run of it: implement-2"),
    isFinished: flag("Whether it has ended"),
    findings: list(finding, "As they stand by its last review"),
    turns: list(turn, "Oldest first"),
  },
  "A run of agents in a step",
);

export const showLine = result("show", "All of one task", {
  taskId: text("The task"),
  workspaceId: text("Its workspace"),
  dir: text("Its folder"),
  description: text("In words"),
  template: text("By its id"),
  branch: text("The task's branch"),
  workTree: text("The task's work tree"),
  baseSha: sha("The commit from which it began"),
  pullRequest: v.optional(text("Its address")),
  state: hookState,
  found,
  awaiting: v.optional(awaiting),
  steps: list(stepRecord, "In their order"),
  results: list(stepResult, "What came of each attempt of a step, oldest first"),
  runs: list(run, "One for each time that agents worked in a step, oldest first"),
  spentUsd: usd("What counts against the limit"),
  unknownUsd: usd("The part of spentUsd that was spent at most"),
  maxBudgetUsd: usd("The limit; 0: none"),
  chain: receiptChain,
  warnings: texts("What was repaired now, and what cannot be read"),
  quarantined: list(quarantinedFile, "Files that something other than atlas has changed"),
});

export const turnLine = result("turn", "What an agent said and did in one turn", {
  taskId: text("The task"),
  runName: text("The step, and which run of it: implement-2"),
  turn,
  isKept: flag("Whether what its agent printed is still there"),
  events: list(agentEvent, "In the order in which they happened"),
});

export type ShowLine = Printed<typeof showLine>;
export type TurnLine = Printed<typeof turnLine>;
