import type { AgentInvoker, AgentResult, FoundTurn, UnfinishedTurn } from "./agent.ts";
import { messageOf } from "./emitter.ts";
import type { TurnRecovery } from "./event.ts";
import { settledCost, unknownCost } from "./money.ts";
import { getReady } from "./ready.ts";
import type { Run } from "./run.ts";
import { listen, settle, type TurnFailure } from "./settle.ts";
import { failTurn, nameSession, takeBackTurn } from "./transitions.ts";
import { requestOf } from "./turn.ts";
import { processOf } from "./turn-process.ts";

type State = FoundTurn["state"];

/** How the end is learned of a turn that was found so. */
const ADOPTED: Readonly<Partial<Record<State, TurnRecovery>>> = {
  alive: "followed",
  ended: "read",
};

/** No agent works in such a turn any more; in others one may have worked since the tree was seen. */
const GONE: ReadonlySet<State> = new Set(["ended", "died", "not-started"]);

/** Takes the end of a turn that an earlier process began, or gives the turn up. */
export async function recoverTurn(run: Run): Promise<TurnFailure> {
  const { turn } = run.state;
  if (turn === undefined) return undefined;
  const agent: AgentInvoker = run.settings[turn.role];
  const unfinished = { request: requestOf(run, turn, ""), process: processOf(turn) };
  const found = await lookFor(run, agent, unfinished);
  run.clean &&= GONE.has(found.state);
  const how = ADOPTED[found.state];
  const result = how && (await adopt(run, agent, unfinished, how));
  if (result !== undefined) return settle(run, result);
  // It is taken again, mostly, after some looking around.
  await getReady(run, turn.role);
  if (run.clean) {
    // No process of the run was left: there is nobody to end, and nobody has gone on since.
    giveUpTurn(run, found);
    return undefined;
  }
  try {
    await agent.end?.(unfinished);
  } catch (error) {
    const message = `the ${turn.role}'s agent may still be at work and could not be ended`;
    return { outcome: "agent", message: `${message}: ${messageOf(error)}` };
  }
  // Until it was ended its agent may have gone on, and spent.
  const left = found.state === "died" ? await lookFor(run, agent, unfinished) : found;
  giveUpTurn(run, left.state === "died" ? left : found);
  return undefined;
}

/** An invoker that cannot say what it finds has found nothing. */
async function lookFor(run: Run, agent: AgentInvoker, turn: UnfinishedTurn): Promise<FoundTurn> {
  try {
    return (await agent.find?.(turn)) ?? UNKNOWN;
  } catch (error) {
    await run.warn(`the end of turn ${turn.request.turnId} cannot be found: ${messageOf(error)}`);
    return UNKNOWN;
  }
}

const UNKNOWN: FoundTurn = { state: "unknown" };

/** Resolves to `undefined` when the end cannot be learned after all. */
async function adopt(
  run: Run,
  agent: AgentInvoker,
  unfinished: UnfinishedTurn,
  how: TurnRecovery,
): Promise<AgentResult | undefined> {
  if (agent.adopt === undefined) return undefined;
  const take = agent.adopt.bind(agent);
  const { role, turnId } = unfinished.request;
  await run.emit({ type: "turn_recovered", cycle: run.state.cycle, role, turnId, how });
  try {
    return await listen(run, role, (options) => take(unfinished, options));
  } catch (error) {
    await run.warn(`the end of turn ${turnId} cannot be learned: ${messageOf(error)}`);
    return undefined;
  }
}

/** The turn is to be taken again, and what it has cost counts. */
function giveUpTurn(run: Run, found: FoundTurn): void {
  const { state } = run;
  const reservedUsd = state.turn?.reservedUsd ?? 0;
  if (found.state === "not-started") {
    run.state = takeBackTurn(state);
  } else if (found.state === "died") {
    const { sessionId, costUsd } = found;
    const known = settledCost({ costUsd, costSource: "partial" }, reservedUsd);
    const named = sessionId === undefined ? state : nameSession(state, sessionId);
    run.state = failTurn(named, known, "interrupted: its agent was killed", "lost");
  } else {
    const unknown = unknownCost(reservedUsd);
    run.state = failTurn(state, unknown, "interrupted: how it ended is not known", "lost");
  }
}
