import { randomUUID } from "node:crypto";
import type { CheckpointTurn } from "@quasar/checkpoint";
import type {
  AgentFailure,
  AgentInvoker,
  AgentRequest,
  AgentResult,
  InvokeOptions,
} from "@quasar/agents";
import type { ProcessIdentity } from "@quasar/process";
import { foreignGitEnv } from "@quasar/git";
import { conventionsNote, noteSteering, steeringNote } from "../repository/conventions.ts";
import { messageOf } from "../emitter.ts";
import { type Ending, INTERRUPTED, tooLittle } from "../ending.ts";
import {
  allowanceBeforeReview,
  isOverBudget,
  isTooLittle,
  leastAllowance,
  reservation,
  turnAllowance,
} from "../money/money.ts";
import { nextBound } from "../money/next-turns.ts";
import { FRESH, promptFor, type Start, systemPrompt } from "./prompts.ts";
import { NO_RETRIES } from "./retry.ts";
import { ASKING_SCHEMA, REVIEW_SCHEMA } from "../review/review-schema.ts";
import type { LoopEventData } from "../event.ts";
import { isCancelled, type Run } from "../run.ts";
import { instructionsOf } from "./session.ts";
import { listen, NO_SESSION, settle, type TurnFailure } from "./settle.ts";
import { giveTree } from "./give-tree.ts";
import { type Settings, savesTurns } from "../settings.ts";
import { unseenTurn } from "./unseen.ts";
import { nameProcess, ROLES, startTurn, type TurnPhase } from "../transitions.ts";
import { nextTurnId } from "./turn-id.ts";
import { NO_PROCESS } from "./turn-process.ts";

/** Failures of a reviewer that a second question may fix. */
const UNCLEAR: ReadonlySet<AgentFailure["kind"]> = new Set(["schema", "empty-answer"]);

/**
 * Lets an agent work in a turn. Where the session is gone that it was to continue in, it begins anew; a
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
    await run.warn(`${unstopped(failure.message)}: the turn is started again`);
    return takeTurn(run, phase, next);
  }
  if (phase !== "reviewing" || !UNCLEAR.has(failure.kind)) return failure;
  await run.warn(`${unstopped(failure.message)}: it is asked once more`);
  return tryTurn(run, phase, next);
}

/** A sentence of an agent's adapter, to be continued. */
function unstopped(sentence: string): string {
  return sentence.replace(/\.$/u, "");
}

/**
 * Reserves, saves, invokes, settles, saves: no agent is started that is not in the store, and
 * nothing is done with its work before that is.
 */
async function tryTurn(run: Run, phase: TurnPhase, start: Start): Promise<TurnFailure> {
  if (isCancelled(run)) return INTERRUPTED;
  if (phase === "reviewing") {
    const stale = await giveTree(run, start.attempt > 1);
    if (stale === "unchecked") return undefined;
    if (stale !== undefined) return stale;
  }
  if (phase === "reviewing" && start.sessionId === "") await noteSteering(run);
  const before = run.state;
  const prompt = promptOf(run, phase, start);
  run.seen = undefined;
  const allowed = newTurn(run, phase, start);
  const boundUsd = run.settings[allowed.role].responseBoundUsd?.(requestOf(run, allowed, prompt));
  const unaffordable = refuseTurn(run, allowed, boundUsd);
  if (unaffordable !== undefined) return unaffordable;
  const turn = leavingForReview(run, allowed, boundUsd);
  const turnInstructions = instructionsOf(run, phase);
  run.state = { ...startTurn(before, phase, turn), turnInstructions };
  const result = await begin(run, turn, prompt);
  if (!("outcome" in result)) return settle(run, result);
  if (result.outcome !== "storage") run.state = before;
  return result;
}

/** The prompt; a session gets what goes beside it once. */
function promptOf(run: Run, phase: TurnPhase, start: Start): string {
  const prompt = promptFor(run.state, phase, start, run.runKind);
  if (start.sessionId !== "") return prompt;
  const steering = phase === "reviewing" ? steeringNote(run.steering) : "";
  return `${prompt}${steering}${conventionsNote(run.settings.conventions ?? "")}`;
}

/** An ending: no agent was started, or the turn continues unseen (`storage`). */
async function begin(
  run: Run,
  turn: CheckpointTurn,
  prompt: string,
): Promise<AgentResult | Ending> {
  const { id, role, attempt } = turn;
  const { cycle } = run.state;
  const started = { type: "agent_start", cycle, role, turnId: id, attempt } as const;
  // Of a supervised turn the process is known before anything is asked, and is saved with it.
  if (run.isSupervised(role)) return invoke(run, requestOf(run, turn, prompt), started);
  const unsaved = await run.saveTurn();
  if (unsaved !== undefined) return unsaved;
  await run.emit(started);
  if (isCancelled(run)) return INTERRUPTED;
  return run.unrecorded ?? invoke(run, requestOf(run, turn, prompt));
}

/** An ending where the turn would be stopped before it gets anywhere. */
function refuseTurn(
  run: Run,
  { role, allowanceUsd }: CheckpointTurn,
  boundUsd: number | undefined,
): Ending | undefined {
  if (!isTooLittle(allowanceUsd, boundUsd)) return undefined;
  const capUsd = run.settings.maxTurnBudgetUsd;
  return tooLittle(run.state, role, { allowanceUsd, leastUsd: leastAllowance(boundUsd), capUsd });
}

/** A coder's turn that spends nothing of what the review after it needs to begin. */
function leavingForReview(
  { state, settings, runKind }: Run,
  turn: CheckpointTurn,
  coder: number | undefined,
): CheckpointTurn {
  if (turn.role !== "coder" || !runKind.isLoop) return turn;
  const reviewer = nextBound(state, "reviewing", settings);
  const allowanceUsd = allowanceBeforeReview(state, turn.allowanceUsd, { coder, reviewer });
  return { ...turn, allowanceUsd };
}

function newTurn({ state, settings, ports }: Run, phase: TurnPhase, start: Start): CheckpointTurn {
  const role = ROLES[phase];
  const { choosesSessionId, reportsCost } = settings[role].capabilities;
  const { sessionId, attempt, retries = NO_RETRIES } = start;
  return {
    id: nextTurnId(state),
    role,
    attempt,
    status: "started",
    allowanceUsd: turnAllowance(state, role, settings.maxTurnBudgetUsd),
    reservedUsd: reservation(state),
    unmetered: !reportsCost,
    startedAt: settings.now().toISOString(),
    sessionId: sessionId === "" && choosesSessionId ? randomUUID() : sessionId,
    resumed: sessionId !== "",
    treeMark: ports.repository?.treeMark() ?? "",
    ...NO_PROCESS,
    retries: retries.retries,
    kills: retries.kills,
    retryAt: "",
  };
}

/**
 * Lets the agent begin once its process is stored.
 *
 * @param started - Told when the turn is stored with it. @default that was told already
 */
async function invoke(
  run: Run,
  request: AgentRequest,
  started?: LoopEventData,
): Promise<AgentResult | Ending> {
  const agent: AgentInvoker = run.settings[request.role];
  let refused: Ending | undefined;
  const onStart = async (process: ProcessIdentity): Promise<void> => {
    run.state = nameProcess(run.state, process);
    const event = started && run.record(started);
    refused = await run.saveTurn();
    if (refused !== undefined) throw new Error(refused.message);
    if (event === undefined) return;
    await run.tell(event);
    if (isCancelled(run)) refused = INTERRUPTED;
    if (refused !== undefined) throw new Error(refused.message);
  };
  const work = (options: InvokeOptions): Promise<AgentResult> =>
    agent.invoke(request, { ...options, onStart });
  try {
    const result = await listen(run, request.role, work);
    return refused ?? result;
  } catch (error) {
    return refused ?? unseenTurn(error) ?? brokenInvoker(error);
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

/** What a person named, and trusts an agent to run too. */
function commandsOf({ lint, filters, commands = [] }: Settings): readonly string[] {
  const all = [...lint, ...filters].map(({ command }) => command);
  return [...new Set([...all, ...commands])];
}

/** What an agent is given for a turn; its files are of use only where the turn itself is stored. */
export function requestOf(
  { settings, state }: Run,
  turn: CheckpointTurn,
  prompt: string,
): AgentRequest {
  const { role } = turn;
  const { runKind } = settings;
  const asks = settings.people !== undefined;
  const held = role === "reviewer" && settings[role].capabilities.structuredOutput;
  const isStored = savesTurns(settings.checkpoint);
  // Who is asked for a subject only has nothing to change.
  const writes = role === "coder" && !runKind.readsOnly && state.commitRefused !== "message";
  const access = writes ? "write" : "read";
  return {
    runId: state.runId,
    turnId: turn.id,
    role,
    prompt,
    env: foreignGitEnv(process.env),
    systemPrompt: systemPrompt(role, {
      projectContext: settings.projectContext,
      runKind,
      commitStyle: state.commitStyle,
      asks,
    }),
    workTree: settings.workTree,
    access,
    commands: access === "write" ? commandsOf(settings) : undefined,
    maxCostUsd: turn.allowanceUsd === 0 ? undefined : turn.allowanceUsd,
    outputSchema: held ? (asks ? ASKING_SCHEMA : REVIEW_SCHEMA) : undefined,
    sessionId: turn.sessionId === "" ? undefined : turn.sessionId,
    resumesSession: turn.resumed,
    turnsDir: isStored ? settings.turnsDir : undefined,
    leash: settings.leash,
  };
}
