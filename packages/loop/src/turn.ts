import { randomUUID } from "node:crypto";
import type { CheckpointTurn } from "@quasar/checkpoint";
import type {
  AgentFailure,
  AgentInvoker,
  AgentProcess,
  AgentRequest,
  AgentResult,
  InvokeOptions,
} from "./agent.ts";
import { messageOf } from "./emitter.ts";
import { type Ending, INTERRUPTED } from "./ending.ts";
import { isOverBudget, reservation } from "./money.ts";
import { FRESH, promptFor, type Start, systemPrompt } from "./prompts.ts";
import { REVIEW_SCHEMA } from "./review-schema.ts";
import type { Run } from "./run.ts";
import { instructionsOf, withInstructions } from "./session.ts";
import { isCancelled, listen, NO_SESSION, settle, type TurnFailure } from "./settle.ts";
import { savesTurns } from "./settings.ts";
import { nameProcess, ROLES, startTurn, type TurnPhase } from "./transitions.ts";
import { nextTurnId } from "./turn-id.ts";
import { NO_PROCESS } from "./turn-process.ts";

/** Failures of a reviewer that a second question may mend. */
const UNCLEAR: ReadonlySet<AgentFailure["kind"]> = new Set(["schema", "empty-answer"]);

/**
 * Lets an agent work in a turn. Where the session is gone that it was to go on in, it begins anew; a
 * reviewer whose answer nobody can act on is asked once more.
 */
export async function takeTurn(
  run: Run,
  phase: TurnPhase,
  start: Start = FRESH,
): Promise<TurnFailure> {
  const failure = await tryTurn(run, phase, start);
  if (failure === undefined || "outcome" in failure || isOverBudget(run.state)) return failure;
  const next = { ...start, attempt: start.attempt + 1, sessionId: "" };
  if (start.sessionId !== "" && NO_SESSION.has(failure.kind)) {
    await run.warn(`${failure.message}: the turn is started anew`);
    return takeTurn(run, phase, next);
  }
  if (phase !== "reviewing" || !UNCLEAR.has(failure.kind)) return failure;
  await run.warn(`${failure.message}: it is asked once more`);
  return tryTurn(run, phase, next);
}

/**
 * Reserves, saves, invokes, settles, saves: no agent is started that is not in the store, and
 * nothing is done with its work before that is.
 */
async function tryTurn(run: Run, phase: TurnPhase, start: Start): Promise<TurnFailure> {
  if (isCancelled(run)) return INTERRUPTED;
  const before = run.state;
  const turn = newTurn(run, phase, start);
  run.state = withInstructions(startTurn(before, phase, turn), instructionsOf(run, phase));
  const result = await begin(run, turn, promptFor(before, phase, start, run.part));
  if (!("outcome" in result)) return settle(run, result);
  run.state = before;
  return result;
}

/** An ending: no agent was started. */
async function begin(
  run: Run,
  turn: CheckpointTurn,
  prompt: string,
): Promise<AgentResult | Ending> {
  const { id, role, attempt } = turn;
  const unsaved = await run.saveTurn();
  if (unsaved !== undefined) return unsaved;
  const { cycle } = run.state;
  await run.emit({ type: "agent_start", cycle, role, turnId: id, attempt });
  if (isCancelled(run)) return INTERRUPTED;
  return run.unrecorded ?? invoke(run, requestOf(run, turn, prompt));
}

function newTurn({ state, settings }: Run, phase: TurnPhase, start: Start): CheckpointTurn {
  const role = ROLES[phase];
  const { choosesSessionId } = settings[role].capabilities;
  const { sessionId, attempt } = start;
  return {
    id: nextTurnId(state),
    role,
    attempt,
    status: "started",
    reservedUsd: reservation(state),
    startedAt: settings.now().toISOString(),
    sessionId: sessionId === "" && choosesSessionId ? randomUUID() : sessionId,
    resumed: sessionId !== "",
    ...NO_PROCESS,
  };
}

/** Lets the agent begin once its process is stored. */
async function invoke(run: Run, request: AgentRequest): Promise<AgentResult | Ending> {
  const agent: AgentInvoker = run.settings[request.role];
  let refused: Ending | undefined;
  const onStart = async (process: AgentProcess): Promise<void> => {
    run.state = nameProcess(run.state, process);
    refused = await run.saveTurn();
    if (refused !== undefined) throw new Error(refused.message);
  };
  const work = (options: InvokeOptions): Promise<AgentResult> =>
    agent.invoke(request, { ...options, onStart });
  try {
    const result = await listen(run, request.role, work);
    return refused ?? result;
  } catch (error) {
    return refused ?? brokenInvoker(error);
  }
}

/** An invoker that rejects is broken: what its turn cost will never be known. */
function brokenInvoker(error: unknown): AgentResult {
  const message = `the agent could not be used: ${messageOf(error)}`;
  return {
    failure: { kind: "unknown", message, retryable: false },
    text: "",
    costSource: "unknown",
    durationMs: 0,
  };
}

/** What an agent is given for a turn; its files are of use only where the turn itself is stored. */
export function requestOf(
  { settings, state }: Run,
  turn: CheckpointTurn,
  prompt: string,
): AgentRequest {
  const { role } = turn;
  const { part } = settings;
  const held = role === "reviewer" && settings[role].capabilities.structuredOutput;
  const isStored = savesTurns(settings.checkpoint);
  return {
    runId: state.runId,
    turnId: turn.id,
    role,
    prompt,
    systemPrompt: systemPrompt(role, settings.projectContext, part),
    workDir: settings.workDir,
    access: role === "coder" && part !== "reader" ? "write" : "read",
    maxCostUsd: state.maxBudgetUsd === 0 ? undefined : turn.reservedUsd,
    outputSchema: held ? REVIEW_SCHEMA : undefined,
    sessionId: turn.sessionId === "" ? undefined : turn.sessionId,
    resumesSession: turn.resumed,
    turnsDir: isStored ? settings.turnsDir : undefined,
    leash: settings.leash,
  };
}
