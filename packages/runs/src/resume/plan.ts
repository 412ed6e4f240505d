import { join } from "node:path";
import type { AgentInvoker, AgentRole } from "@quasar/agents";
import type { UnfinishedTurn } from "@quasar/agents/turns";
import type { Checkpoint } from "@quasar/checkpoint";
import {
  type CostEstimate,
  type PlanItem,
  planResume,
  type ResumeAssessment,
  type ResumeLimits,
} from "@quasar/loop/resume";
import { isTurnOpen } from "@quasar/loop/turn";
import { keptConventions } from "../conventions.ts";
import type { RunsError } from "../errors.ts";
import { describe, lockHolder } from "../driving/lock.ts";
import { findAlive, findLeftoverProcesses, findForeignProcess } from "../driving/orphans.ts";
import { openRunIds } from "../look/list.ts";
import { resumeStep } from "../look/summary.ts";
import { unfinishedTurn } from "../look/turn.ts";
import { storedOutcome } from "../store.ts";
import type { NextStep } from "../next-step.ts";
import type { Workspace } from "../workspace.ts";
import type { FoundCheckpoint } from "./find.ts";
import { changedControls, LOOK_AT_CONTROLS } from "./changed-controls.ts";
import { inspect, judge, loopOverrides, type Obstacle, type Override } from "./judge.ts";
import type { ResumedWith } from "./resume.ts";
import { limitSteps, limitOf, patienceOf, withoutPause } from "../limits/patience.ts";

/** What a resume would do. */
export interface Plan {
  /** Whether it could continue, and else what stands against it: anything, the budget alone, a usage limit. */
  readonly ends: "ready" | "refused" | "budget" | "limit";
  readonly items: readonly Item[];
  readonly estimate: CostEstimate;
  readonly assessment: ResumeAssessment;
  /** What helps, most likely first; the resume itself where it could continue. */
  readonly next: readonly NextStep[];
}

/** The loop's items, and what the caller accepts. */
export type Item = Omit<PlanItem, "kind"> & { readonly kind: PlanItem["kind"] | "accepted" };

export interface PlanOptions {
  readonly options: ResumedWith;
  /** What the caller accepts, as a resume would be told. */
  readonly accepts: ReadonlySet<Override>;
  /** Whether the agent is asked although its usage limit is not lifted yet. */
  readonly now: boolean;
}

/** Looks at everything that a resume would look at. Takes no lock and writes nothing. */
export async function makePlan(
  workspace: Workspace,
  found: FoundCheckpoint,
  { options, accepts, now }: PlanOptions,
): Promise<Plan> {
  const { runId, loaded } = found;
  const { checkpoint, problems } = loaded;
  const { maxCycles, maxBudgetUsd, maxTurnBudgetUsd, coder, reviewer } = options;
  const { lint, filters, waitLimitMs = 0, hasOtherLimits = false } = options;
  const agents = { coder, reviewer };
  const others = openRunIds(workspace).filter((other) => other !== runId);
  const turn = isTurnOpen(checkpoint) ? unfinishedTurn(workspace, checkpoint) : undefined;
  const [facts, controls, alive, seen] = await Promise.all([
    inspect(workspace, found),
    changedControls(workspace, runId, options),
    findLeftoverProcesses(others).then((leftovers) => findAlive(workspace, leftovers)),
    turn && lookFor(agents, turn),
  ]);
  const foreign = findForeignProcess(workspace);
  const atWork = foreign === undefined ? alive : [...alive, foreign];
  const { obstacles, assessment } = judge(workspace, found, facts);
  const limits = { agents, accepted: loopOverrides(accepts) };
  const caps = { maxCycles, maxBudgetUsd, maxTurnBudgetUsd };
  const asked = now ? withoutPause(checkpoint) : checkpoint;
  const checks = { lint, filters };
  const said = askedOf(workspace, runId, options);
  const plan = planResume(asked, assessment, seen, { ...limits, ...caps, checks, asked: said });

  const retryAt = now || hasOtherLimits ? undefined : limitOf(checkpoint);
  const wait = retryAt === undefined ? undefined : patienceOf(retryAt, waitLimitMs);
  const items: Item[] = [
    ...heldBy(workspace),
    ...atWork.map(({ message }) => refused("agent", message)),
    ...obstacles.flatMap((obstacle) => ownItem(obstacle, accepts)),
    ...problems.map((message) => ({ kind: "restored" as const, message, data: {} })),
    ...(controls === undefined ? stoppedAt(checkpoint) : [controlsItem(controls, accepts)]),
    ...plan.items.filter(({ kind, data }) => kind !== "waits" || !("retryAt" in data)),
  ];
  if (wait !== undefined && retryAt !== undefined) {
    items.push({ kind: "waits", message: `a usage limit, ${wait.words}`, data: { retryAt } });
  }
  const refusedItems = items.filter(({ kind }) => kind === "refused");
  const isOfMoney = refusedItems.length > 0 && refusedItems.every(isUnaffordable);
  const isRefused = refusedItems.length > 0;
  const stops = wait?.isEnough === false;
  const ends = isOfMoney ? "budget" : isRefused ? "refused" : stops ? "limit" : "ready";
  const refusals = obstacles.filter(({ what }) => what === undefined || !accepts.has(what));
  const next: readonly NextStep[] = [
    ...[...atWork, ...refusals.map(({ error }) => error)].flatMap((error: RunsError) => error.next),
    ...(items.some(areControlsRefused) ? lookAndAccept(runId) : []),
    ...(items.some(areCyclesUsedUp) ? [resumeStep(runId, checkpoint)] : []),
    ...items.filter(isUnaffordable).map((item) => affordable(runId, checkpoint, item)),
    ...(stops ? limitSteps(retryAt, { do: "resume", runId }) : []),
  ];
  const steps = ends === "ready" ? [{ do: "resume" as const, runId }] : next;
  return { ends, items, estimate: plan.estimate, assessment, next: steps };
}

function heldBy(workspace: Workspace): readonly Item[] {
  const holder = lockHolder(workspace);
  if (holder === undefined) return [];
  return [refused("lock", `another quasar works on this tree: ${describe(holder)}`)];
}

/** What the agents are told beside the task: it is paid for, too. */
function askedOf(
  { root, runsDir }: Workspace,
  runId: string,
  { projectContext }: ResumedWith,
): NonNullable<ResumeLimits["asked"]> {
  const conventions = keptConventions(join(runsDir, runId));
  return { workTree: root, projectContext, conventions };
}

/** What git would do otherwise than when the run began. */
function controlsItem(message: string, accepts: ReadonlySet<Override>): Item {
  if (accepts.has("settings")) return { kind: "accepted", message, data: { what: "settings" } };
  return refused("settings", message);
}

function areControlsRefused({ kind, data }: Item): boolean {
  return kind === "refused" && data["check"] === "settings";
}

function lookAndAccept(runId: string): readonly NextStep[] {
  const note = "if all of it is right";
  return [LOOK_AT_CONTROLS, { do: "resume", runId, options: { accepts: ["settings"] }, note }];
}

/** Where the work tree stopped the last runner: nobody has looked whether it still does. */
function stoppedAt(checkpoint: Checkpoint): readonly Item[] {
  const { outcome, message = "" } = storedOutcome(checkpoint) ?? {};
  if (outcome !== "work-tree") return [];
  const words = `the last runner stopped: ${message}; this one does too where that is still so`;
  return [{ kind: "restored", message: words, data: { outcome } }];
}

/** What the loop does not tell: a checkpoint's origin, and what is accepted. */
function ownItem({ what, error }: Obstacle, accepts: ReadonlySet<Override>): readonly Item[] {
  if (what !== undefined && accepts.has(what)) {
    return [{ kind: "accepted", message: error.message, data: { what } }];
  }
  return what === "trust" ? [refused("trust", error.message)] : [];
}

/** Whether the next turn would not be started for what it may spend, or what the run may. */
function isUnaffordable({ kind, data }: Item): boolean {
  return kind === "refused" && (data["check"] === "allowance" || data["check"] === "budget");
}

/** What would start the turn. */
function affordable(runId: string, checkpoint: Checkpoint, { data }: Item): NextStep {
  const { neededBudgetUsd: ofRun = 0, neededTurnBudgetUsd: ofTurn = 0 } = data;
  const [neededBudgetUsd, neededTurnBudgetUsd] = [Number(ofRun), Number(ofTurn)];
  return resumeStep(runId, { ...checkpoint, neededBudgetUsd, neededTurnBudgetUsd });
}

/** Whether the run has had all its cycles, which a flag can raise. */
function areCyclesUsedUp({ kind, data }: Item): boolean {
  return kind === "refused" && data["check"] === "max_cycles";
}

function refused(check: string, message: string): Item {
  return { kind: "refused", message, data: { check } };
}

/** What has become of a turn whose end is not known. */
async function lookFor(
  agents: Readonly<Record<AgentRole, AgentInvoker>>,
  turn: UnfinishedTurn,
): ReturnType<NonNullable<AgentInvoker["find"]>> {
  const found = await agents[turn.request.role].find?.(turn);
  return found ?? { state: "unknown" };
}
