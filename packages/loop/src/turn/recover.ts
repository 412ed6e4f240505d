import type { AgentInvoker, AgentResult } from "@quasar/agents";
import type { FoundTurn, UnfinishedTurn } from "@quasar/agents/turns";
import { messageOf } from "../emitter.ts";
import type { Ending } from "../ending.ts";
import type { TurnRecovery } from "../event.ts";
import type { Run } from "../run.ts";
import { settledCost } from "../money/money.ts";
import { workAgain } from "../resume/resume.ts";
import { failTurn } from "../transitions.ts";
import { isWorkGone, WORK_GONE } from "./gone-work.ts";
import { givenUp } from "./given-up.ts";
import { failureOf, listen, settle, type TurnFailure } from "./settle.ts";
import { requestOf } from "./turn.ts";
import { processOf } from "./turn-process.ts";
import { unseenTurn } from "./unseen.ts";

/** No agent works in such a turn any more; in others one may have worked since the tree was seen. */
const GONE: ReadonlySet<FoundTurn["state"]> = new Set(["ended", "died", "not-started"]);

/** What came of a turn that an earlier process began. */
export interface Recovered {
  readonly failure: TurnFailure;
  /** It failed while this process listened. */
  readonly isNews: boolean;
}

/** Takes the end of a turn that an earlier process began, or gives the turn up. */
export async function recoverTurn(run: Run): Promise<Recovered> {
  const { turn } = run.state;
  if (turn === undefined) return GIVEN_UP;
  const agent: AgentInvoker = run.settings[turn.role];
  const unfinished = { request: requestOf(run, turn, ""), process: processOf(turn) };
  run.seen = undefined;
  const found = await lookFor(run, agent, unfinished);
  if ("outcome" in found) return { failure: found, isNews: false };
  run.clean &&= GONE.has(found.state) && !("isLeft" in found && found.isLeft === true);
  if (isWorkGone(run.state, run.ports)) return loseTurn(run, agent, unfinished, found);
  const result = await learnEnd(run, agent, unfinished, found);
  if (result !== undefined && "outcome" in result) return { failure: result, isNews: false };
  if (result !== undefined) {
    return { failure: await settle(run, result), isNews: found.state === "alive" };
  }
  if (run.clean) {
    // No process of the run was left: there is nobody to end, and nobody has continued since.
    giveUpTurn(run, found);
    return GIVEN_UP;
  }
  const unended = await endAgent(agent, unfinished);
  if (unended !== undefined) return { failure: unended, isNews: false };
  // Until it was ended its agent may have continued, and spent.
  const left = found.state === "died" ? await lookFor(run, agent, unfinished) : found;
  if ("outcome" in left) return { failure: left, isNews: false };
  giveUpTurn(run, left.state === "died" ? left : found);
  return GIVEN_UP;
}

/** Takes what a turn has cost whose work is gone, and nothing else of it. */
async function loseTurn(
  run: Run,
  agent: AgentInvoker,
  unfinished: UnfinishedTurn,
  found: FoundTurn,
): Promise<Recovered> {
  const unended = run.clean ? undefined : await endAgent(agent, unfinished);
  if (unended !== undefined) return { failure: unended, isNews: false };
  const last = found.state === "ended" ? found : await lookFor(run, agent, unfinished);
  if ("outcome" in last) return { failure: last, isNews: false };
  const isKept = last.state === "ended";
  const result = isKept ? (last.result ?? (await adopt(run, agent, unfinished))) : undefined;
  if (result !== undefined && "outcome" in result) return { failure: result, isNews: false };
  if (result === undefined) giveUpTurn(run, last);
  else {
    const cost = settledCost(result, run.state.turn?.reservedUsd ?? 0);
    run.state = failTurn(run.state, cost, WORK_GONE, "lost");
  }
  await run.warn(WORK_GONE);
  run.state = workAgain(run.state, run.head);
  return GIVEN_UP;
}

/** @returns An ending where its agent may be at work yet. */
async function endAgent(agent: AgentInvoker, turn: UnfinishedTurn): Promise<Ending | undefined> {
  try {
    await agent.end?.(turn);
    return undefined;
  } catch (error) {
    const message = `the ${turn.request.role}'s agent may still be at work and could not be ended`;
    return { outcome: "agent", message: `${message}: ${messageOf(error)}` };
  }
}

const GIVEN_UP: Recovered = { failure: undefined, isNews: false };

/** An invoker that cannot say what it finds has found nothing; one that cannot look says so. */
async function lookFor(
  run: Run,
  agent: AgentInvoker,
  turn: UnfinishedTurn,
): Promise<FoundTurn | Ending> {
  try {
    return (await agent.find?.(turn)) ?? UNKNOWN;
  } catch (error) {
    const unseen = unseenTurn(error);
    if (unseen !== undefined) return unseen;
    await run.warn(`the end of turn ${turn.request.turnId} cannot be found: ${messageOf(error)}`);
    return UNKNOWN;
  }
}

const UNKNOWN: FoundTurn = { state: "unknown" };

/**
 * How a turn ended that is alive or has ended: waited for, or read. Resolves to `undefined` where it
 * can be neither.
 */
async function learnEnd(
  run: Run,
  agent: AgentInvoker,
  unfinished: UnfinishedTurn,
  found: FoundTurn,
): Promise<AgentResult | Ending | undefined> {
  switch (found.state) {
    case "alive":
      return adopt(run, agent, unfinished, () => tell(run, "followed"));
    case "ended": {
      const result = found.result ?? (await adopt(run, agent, unfinished));
      if (result === undefined || "outcome" in result) return result;
      const asks = run.settings.people !== undefined;
      const failure = failureOf(result, unfinished.request.role, run.runKind, asks);
      if (failure === undefined) await tell(run, "read");
      else await run.warn(`the ${unfinished.request.role}'s turn had failed: ${failure.message}`);
      return result;
    }
    case "died":
    case "not-started":
    case "unknown":
      return undefined;
  }
}

async function tell(run: Run, how: TurnRecovery): Promise<void> {
  const { turn, cycle } = run.state;
  if (turn === undefined) return;
  await run.emit({ type: "turn_recovered", cycle, role: turn.role, turnId: turn.id, how });
}

/** Resolves to `undefined` when the end cannot be learned after all. */
async function adopt(
  run: Run,
  agent: AgentInvoker,
  unfinished: UnfinishedTurn,
  before?: () => Promise<void>,
): Promise<AgentResult | Ending | undefined> {
  if (agent.adopt === undefined) return undefined;
  const take = agent.adopt.bind(agent);
  const { role, turnId } = unfinished.request;
  await before?.();
  try {
    return await listen(run, role, (options) => take(unfinished, options));
  } catch (error) {
    const unseen = unseenTurn(error);
    if (unseen !== undefined) return unseen;
    await run.warn(`the end of turn ${turnId} cannot be learned: ${messageOf(error)}`);
    return undefined;
  }
}

function giveUpTurn(run: Run, found: FoundTurn): void {
  const agent = run.settings[run.state.turn?.role ?? "coder"];
  run.state = givenUp(run.state, found, agent.responseBoundUsd !== undefined);
}
