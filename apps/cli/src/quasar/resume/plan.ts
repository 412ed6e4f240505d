import { type CostEstimate, type PlanItem, planResume, type ResumeAssessment } from "@quasar/loop";
import type { Checkpoint } from "@quasar/checkpoint";
import type { AgentRole, UnfinishedTurn } from "@quasar/agents";
import { type Agents, agentsOf } from "../../shared/agents.ts";
import { checksOf } from "../checks/options.ts";
import type { CliError } from "../../shared/errors.ts";
import type { Settings } from "../../shared/config/settings.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { describe, lockHolder } from "../lock.ts";
import { findAlive, findOutliving } from "../orphans.ts";
import { openRunIds } from "../runs/list.ts";
import { resumeCommand } from "../runs/summary.ts";
import { isTurnOpen } from "@quasar/loop";
import { unfinishedTurn } from "../runs/turn.ts";
import type { Workspace } from "../../shared/workspace.ts";
import type { FoundCheckpoint } from "./find.ts";
import { inspect, judge, loopOverrides, type Obstacle, type Override } from "./judge.ts";
import { limitOf, patienceOf, withoutPause } from "./limit.ts";

/** What a resume would do. */
export interface Plan {
  /** 0: it could go on; else the code it would leave with, 6 for everything that stands against it. */
  readonly exit: ExitCode;
  readonly items: readonly Item[];
  readonly estimate: CostEstimate;
  readonly assessment: ResumeAssessment;
  /** What the user can type. */
  readonly next: readonly string[];
}

/** What the command adds to the loop's items: what the user's flags accept. */
export type Item = Omit<PlanItem, "kind"> & { readonly kind: PlanItem["kind"] | "accepted" };

export interface PlanOptions {
  readonly settings: Settings;
  /** What the user's flags accept. */
  readonly accepts: ReadonlySet<Override>;
  /** Whether the agent is asked although its usage limit is not lifted yet. */
  readonly now: boolean;
}

/** Looks at everything that a resume would look at. Takes no lock and writes nothing. */
export async function makePlan(
  workspace: Workspace,
  found: FoundCheckpoint,
  { settings, accepts, now }: PlanOptions,
): Promise<Plan> {
  const { runId, loaded } = found;
  const { checkpoint, problems } = loaded;
  const { maxCycles, maxBudgetUsd, maxTurnBudgetUsd } = settings;
  const agents = agentsOf(settings, checkpoint);
  const others = openRunIds(workspace).filter((other) => other !== runId);
  const turn = isTurnOpen(checkpoint) ? unfinishedTurn(workspace, checkpoint) : undefined;
  const [facts, alive, seen] = await Promise.all([
    inspect(workspace, found),
    findOutliving(others).then((outliving) => findAlive(workspace, outliving)),
    turn && lookFor(agents, turn),
  ]);
  const { obstacles, assessment } = judge(workspace, found, facts);
  const limits = { agents, accepted: loopOverrides(accepts) };
  const caps = { maxCycles, maxBudgetUsd, maxTurnBudgetUsd };
  const asked = now ? withoutPause(checkpoint) : checkpoint;
  const checks = checksOf(settings);
  const plan = planResume(asked, assessment, seen, { ...limits, ...caps, checks });

  const retryAt = now ? undefined : limitOf(checkpoint, settings);
  const wait = retryAt === undefined ? undefined : patienceOf(retryAt, settings);
  const items: Item[] = [
    ...heldBy(workspace),
    ...alive.map(({ message }) => refused("agent", message)),
    ...obstacles.flatMap((obstacle) => ownItem(obstacle, accepts)),
    ...problems.map((words) => ({ kind: "restored" as const, words, data: {} })),
    ...plan.items.filter(({ kind, data }) => kind !== "waits" || !("retryAt" in data)),
  ];
  if (wait !== undefined && retryAt !== undefined) {
    items.push({ kind: "waits", words: wait.words, data: { retryAt } });
  }
  const refusedItems = items.filter(({ kind }) => kind === "refused");
  const isOfMoney = refusedItems.length > 0 && refusedItems.every(isUnaffordable);
  const isRefused = refusedItems.length > 0;
  const stops = wait?.isEnough === false;
  const exit = isOfMoney ? EXIT.budget : isRefused ? EXIT.refused : stops ? EXIT.limit : EXIT.ok;
  const refusals = obstacles.filter(({ what }) => what === undefined || !accepts.has(what));
  const next = [
    ...[...alive, ...refusals.map(({ error }) => error)].flatMap((error: CliError) => error.next),
    ...(items.some(isUsedUp) ? [resumeCommand(runId, checkpoint)] : []),
    ...items.filter(isUnaffordable).map((item) => affordable(runId, checkpoint, item)),
    ...(stops ? wait.next(runId) : []),
  ];
  const steps = exit === EXIT.ok ? ["the same command without --plan"] : next;
  return { exit, items, estimate: plan.estimate, assessment, next: steps };
}

function heldBy(workspace: Workspace): readonly Item[] {
  const holder = lockHolder(workspace);
  if (holder === undefined) return [];
  return [refused("lock", `another quasar works on this tree: ${describe(holder)}`)];
}

/** What the loop does not tell: a checkpoint's origin, and what is accepted. */
function ownItem({ what, error }: Obstacle, accepts: ReadonlySet<Override>): readonly Item[] {
  if (what !== undefined && accepts.has(what)) {
    return [{ kind: "accepted", words: error.message, data: { what } }];
  }
  return what === "trust" ? [refused("trust", error.message)] : [];
}

/** Whether the next turn would not be started for what it may spend. */
function isUnaffordable({ kind, data }: Item): boolean {
  return kind === "refused" && data["check"] === "allowance";
}

/** The command with which the turn would be started. */
function affordable(runId: string, checkpoint: Checkpoint, { data }: Item): string {
  const [neededBudgetUsd, neededTurnBudgetUsd] = [
    Number(data["neededBudgetUsd"]),
    Number(data["neededTurnBudgetUsd"]),
  ];
  return resumeCommand(runId, { ...checkpoint, neededBudgetUsd, neededTurnBudgetUsd });
}

/** Whether a limit of the run stands against it, which a flag can raise. */
function isUsedUp({ kind, data }: Item): boolean {
  return kind === "refused" && (data["check"] === "max_cycles" || data["check"] === "budget");
}

function refused(check: string, words: string): Item {
  return { kind: "refused", words, data: { check } };
}

/** What has become of a turn whose end is not known. */
async function lookFor(
  agents: Agents,
  turn: UnfinishedTurn,
): ReturnType<NonNullable<Agents[AgentRole]["find"]>> {
  const found = await agents[turn.request.role].find?.(turn);
  return found ?? { state: "unknown" };
}
