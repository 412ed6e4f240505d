import { randomUUID } from "node:crypto";
import type { CheckpointTurn } from "@quasar/checkpoint";
import type {
  AgentEvent,
  AgentFailure,
  AgentInvoker,
  AgentRequest,
  AgentResult,
  AgentRole,
  InvokeOptions,
  UnfinishedTurn,
} from "./agent.ts";
import { messageOf } from "./emitter.ts";
import { type Ending, INTERRUPTED } from "./ending.ts";
import { isOverBudget, reservation, settledCost, unknownCost } from "./money.ts";
import { parseReview } from "./parse-review.ts";
import { promptFor, systemPrompt } from "./prompts.ts";
import { REVIEW_SCHEMA, renderReview } from "./review-schema.ts";
import type { Run } from "./run.ts";
import { trimSpace } from "./text.ts";
import {
  failTurn,
  nameSession,
  ROLES,
  settleTurn,
  startTurn,
  type TurnPhase,
} from "./transitions.ts";
import { turnId, turnNumber } from "./turn-id.ts";
import { NO_PROCESS, processOf } from "./turn-process.ts";
import { foreignWork } from "./untouchable.ts";

/**
 * How a turn ended: `undefined` when it is settled, an agent's failure when the turn came to nothing,
 * an ending when the run cannot go on.
 */
type Failure = AgentFailure | Ending | undefined;

/** Failures of a reviewer that a second question may mend. */
const UNCLEAR: ReadonlySet<AgentFailure["kind"]> = new Set(["schema", "empty-answer"]);

/**
 * Lets an agent work in a turn. A reviewer whose answer nobody can act on is asked once more.
 *
 * @param attempt - Counts the starts of the same piece of work, from 1.
 */
export async function takeTurn(run: Run, phase: TurnPhase, attempt: number): Promise<Failure> {
  const failure = await tryTurn(run, phase, attempt);
  const unclear = failure !== undefined && "kind" in failure && UNCLEAR.has(failure.kind);
  if (phase !== "reviewing" || !unclear || isOverBudget(run.state)) return failure;
  await run.warn(`${failure.message}: it is asked once more`);
  return tryTurn(run, phase, attempt + 1);
}

/**
 * Reserves, saves, invokes, settles, saves: no agent is started that is not in the store, and
 * nothing is done with its work before that is.
 */
async function tryTurn(run: Run, phase: TurnPhase, attempt: number): Promise<Failure> {
  const before = run.state;
  const role = ROLES[phase];
  const agent = run.settings[role];
  const turn: CheckpointTurn = {
    id: turnId(before.runId, turnNumber(before.turn?.id) + 1),
    role,
    attempt,
    status: "started",
    reservedUsd: reservation(before),
    startedAt: run.settings.now().toISOString(),
    sessionId: agent.capabilities.choosesSessionId ? randomUUID() : "",
    resumed: false,
    ...NO_PROCESS,
  };
  if (isCancelled(run)) return INTERRUPTED;
  run.state = startTurn(before, phase, turn);
  const unsaved = await save(run);
  if (unsaved !== undefined) {
    run.state = before;
    return unsaved;
  }
  const { cycle } = before;
  await run.emit({ type: "agent_start", cycle, role, turnId: turn.id, attempt });
  if (isCancelled(run)) {
    run.state = before;
    return INTERRUPTED;
  }
  const request = requestOf(run, turn, promptFor(before, phase, attempt));
  const result = await listen(run, role, (options) => agent.invoke(request, options));
  return settle(run, result);
}

function requestOf({ settings, state }: Run, turn: CheckpointTurn, prompt: string): AgentRequest {
  const { role } = turn;
  const held = role === "reviewer" && settings[role].capabilities.structuredOutput;
  return {
    runId: state.runId,
    turnId: turn.id,
    role,
    prompt,
    systemPrompt: systemPrompt(role, settings.projectContext),
    workDir: settings.workDir,
    access: role === "coder" ? "write" : "read",
    maxCostUsd: state.maxBudgetUsd === 0 ? undefined : turn.reservedUsd,
    outputSchema: held ? REVIEW_SCHEMA : undefined,
    sessionId: turn.sessionId === "" ? undefined : turn.sessionId,
  };
}

function isCancelled({ settings }: Run): boolean {
  return settings.signal?.aborted === true;
}

/** Takes the end of a turn that an earlier process began, or gives the turn up. */
export async function recoverTurn(run: Run): Promise<Failure> {
  const { turn } = run.state;
  if (turn === undefined) return undefined;
  const { role, reservedUsd } = turn;
  const agent: AgentInvoker = run.settings[role];
  const unfinished: UnfinishedTurn = {
    request: requestOf(run, turn, ""),
    process: processOf(turn),
  };
  const found = await agent.find?.(unfinished);
  if (agent.adopt !== undefined && (found?.state === "alive" || found?.state === "ended")) {
    const adopt = agent.adopt.bind(agent);
    return settle(run, await listen(run, role, (options) => adopt(unfinished, options)));
  }
  await agent.end?.(unfinished);
  run.state = failTurn(
    run.state,
    unknownCost(reservedUsd),
    "interrupted: how it ended is not known",
  );
  return undefined;
}

/** Passes on what the agent says; a session's id is saved as soon as it is known. */
async function listen<T>(
  run: Run,
  role: AgentRole,
  work: (options: InvokeOptions) => Promise<T>,
): Promise<T | AgentResult> {
  let saving = Promise.resolve();
  let telling = Promise.resolve();
  let working = true;
  const onEvent = (event: AgentEvent): void => {
    if (!working) return;
    const before = run.state;
    if (event.type === "session") run.state = nameSession(before, event.sessionId);
    if (run.state !== before) saving = saveSession(run, saving);
    telling = run.emit({ type: "agent_event", cycle: before.cycle, role, event });
  };
  try {
    return await work({ signal: run.settings.signal, onEvent });
  } catch (error) {
    return brokenInvoker(error);
  } finally {
    working = false;
    await Promise.all([saving, telling]);
  }
}

/** One save after the other. A failure is only told: the save after the turn decides. */
async function saveSession(run: Run, previous: Promise<void>): Promise<void> {
  await previous;
  const failure = await save(run);
  if (failure !== undefined) await run.warn(failure.message);
}

/** What came of a turn is kept, and stored before anything is done with it. */
async function settle(run: Run, result: AgentResult): Promise<Failure> {
  const { turn, cycle } = run.state;
  if (turn === undefined) return undefined;
  const { role, reservedUsd, id } = turn;
  const spent = settledCost(result, reservedUsd);
  const answer = answerOf(result, role);
  if (result.sessionId !== undefined) run.state = nameSession(run.state, result.sessionId);
  if ("kind" in answer) {
    run.state = failTurn(run.state, spent, `${role}: ${answer.message}`);
    return isCancelled(run) ? INTERRUPTED : answer;
  }
  run.state = settleTurn(run.state, answer.text, spent);
  // The agent may have committed by itself.
  const lost = role === "coder" ? await lookAtHead(run) : undefined;
  const failure = lost ?? (await save(run));
  if (failure !== undefined) return failure;
  const { costUsd, durationMs } = result;
  await run.emit({ type: "agent_done", cycle, role, turnId: id, costUsd, durationMs });
  return undefined;
}

/** What a result says that can be worked with, or why it is none. */
function answerOf(result: AgentResult, role: AgentRole): { text: string } | AgentFailure {
  const { failure } = result;
  if (failure !== undefined && !(role === "reviewer" && failure.kind === "schema")) return failure;
  if (role === "coder") return { text: result.text };
  const rendered = result.structured === undefined ? "" : (renderReview(result.structured) ?? "");
  const text = [rendered, result.text].find((each) => parseReview(each).verdict !== undefined);
  if (text !== undefined) return { text };
  return failure ?? (trimSpace(result.text + rendered) === "" ? EMPTY_REVIEW : UNCLEAR_REVIEW);
}

const EMPTY_REVIEW: AgentFailure = {
  kind: "empty-answer",
  message: "the reviewer said nothing",
  retryable: true,
};

const UNCLEAR_REVIEW: AgentFailure = {
  kind: "schema",
  message: "the reviewer's answer neither approves nor names an issue",
  retryable: true,
};

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

async function lookAtHead(run: Run): Promise<Failure> {
  try {
    const { repository } = run.ports;
    if (repository === undefined) return undefined;
    const before = run.head;
    run.head = await repository.head();
    const warning = await foreignWork(run.state, repository, before, run.head);
    if (warning !== undefined) await run.warn(warning);
    return undefined;
  } catch (error) {
    return { outcome: "git", message: `HEAD cannot be read: ${messageOf(error)}` };
  }
}

async function save(run: Run): Promise<Ending | undefined> {
  try {
    await run.saveTurn();
    return undefined;
  } catch (error) {
    const message = `the checkpoint could not be saved: ${messageOf(error)}`;
    return { outcome: "checkpoint", message };
  }
}
