import type {
  AgentEvent,
  AgentFailure,
  AgentResult,
  AgentRole,
  InvokeOptions,
} from "@quasar/agents";
import { type Ending, INTERRUPTED } from "../ending.ts";
import { refusedCost, settledCost } from "../money/money.ts";
import type { RunKind } from "../run-kind.ts";
import {
  type Asked,
  namedQuestions,
  splitQuestions,
  structuredQuestions,
} from "../question/parse-questions.ts";
import { parseReview } from "../review/parse-review.ts";
import { renderReview } from "../review/review-schema.ts";
import { reviewText } from "../review/review-text.ts";
import { isCancelled, type Run } from "../run.ts";
import type { Settings } from "../settings.ts";
import type { CycleState } from "../state.ts";
import { trimSpace } from "../text.ts";
import { withoutSubject } from "../commit/commit-message.ts";
import { failTurn, forgetSession, limitUntil, nameSession, settleTurn } from "../transitions.ts";
import { hasWork, refusal } from "./denials.ts";
import { undoReviewer } from "./undo.ts";
import { foreignWork } from "../commit/untouchable.ts";
import { gitEnding, misplaced } from "../repository/work-tree.ts";

/**
 * How a turn ended: `undefined` when it is settled, an agent's failure when the turn failed,
 * an ending when the run cannot continue.
 */
export type TurnFailure = AgentFailure | Ending | undefined;

type FailureKinds = ReadonlySet<AgentFailure["kind"]>;

/** Failures of an agent that could not continue in a session: nothing was asked of it. */
export const NO_SESSION: FailureKinds = new Set(["session-missing", "session-busy"]);

/** Failures after which the same conversation would fail again. */
export const USELESS_SESSION: FailureKinds = new Set([
  ...NO_SESSION,
  "context-overflow",
  "prompt-too-large",
  "schema",
  "empty-answer",
  "refusal",
]);

/** Passes on what the agent says; a session's id is saved as soon as it is known. */
export async function listen(
  run: Run,
  role: AgentRole,
  work: (options: InvokeOptions) => Promise<AgentResult>,
): Promise<AgentResult> {
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
  } finally {
    working = false;
    await Promise.all([saving, telling]);
  }
}

/** One save after the other. A failure is only told: the save after the turn decides. */
async function saveSession(run: Run, previous: Promise<void>): Promise<void> {
  await previous;
  const failure = await run.saveTurn();
  if (failure !== undefined) await run.warn(failure.message);
}

/** What came of a turn is kept, and stored before anything is done with it. */
export async function settle(run: Run, result: AgentResult): Promise<TurnFailure> {
  const { turn, cycle } = run.state;
  if (turn === undefined) return undefined;
  if (run.superseded !== undefined) return run.superseded;
  const { role, reservedUsd, id } = turn;
  for (const notice of result.notices ?? []) await run.warn(notice);
  const asks = run.settings.people !== undefined;
  const said = answerOf(result, role, run.runKind, asks);
  const answer = await withSilentWork(run, role, said);
  if (result.sessionId !== undefined) run.state = nameSession(run.state, result.sessionId);
  if ("kind" in answer) {
    const failure = fail(run, result, answer);
    return (role === "reviewer" ? await undoReviewer(run) : undefined) ?? failure;
  }
  const denials = role === "coder" ? (result.denials ?? []) : [];
  // The work of one that said nothing was searched for already.
  if (denials.length > 0 && answer === said && !(await hasWork(run))) {
    return fail(run, result, refusal(run.settings.coder, denials));
  }
  const asked = namedQuestions(answer.asked ?? [], { turnId: id, role, cycle });
  run.state = settleTurn(run.state, answer.text, settledCost(result, reservedUsd), asked);
  const { workIsSynced = false } = result;
  const tree = role === "coder" ? await syncWork(run, workIsSynced) : await undoReviewer(run);
  if (tree?.outcome === "git" || tree?.outcome === "interrupted") return tree;
  const { costUsd, durationMs } = result;
  const summary = role === "coder" ? summaryOf(answer.text, run.settings) : undefined;
  const done = {
    type: "agent_done",
    cycle,
    role,
    turnId: id,
    costUsd,
    durationMs,
    summary,
  } as const;
  if (role === "reviewer" && run.isSupervised(role) && asked.length === 0) {
    // Its verdict follows at once and is stored with it; until then the end of the turn is in the turn's files,
    // which a power cut may take: nobody is told of what may be paid for again.
    run.hold(done);
    return tree;
  }
  const event = run.record(done);
  const failure = await run.saveTurn();
  if (failure !== undefined) return failure;
  await run.tell(event);
  if (denials.length > 0)
    await run.emit({ type: "tools_denied", cycle, role, turnId: id, denials });
  return tree;
}

const SUMMARY_LENGTH = 1000;

/** What a coder reports, but for the subject of its commit; nothing where secrets cannot be taken out. */
function summaryOf(report: string, { redact = asItIs }: Settings): string | undefined {
  try {
    const text = trimSpace(withoutSubject(redact(report)));
    return text.slice(0, SUMMARY_LENGTH).toWellFormed();
  } catch {
    return undefined;
  }
}

const asItIs = (text: string): string => text;

/** A coder's work is in the tree: who has changed files has done something, whatever it says. */
async function withSilentWork(
  run: Run,
  role: AgentRole,
  answer: Answer | AgentFailure,
): Promise<Answer | AgentFailure> {
  const isSilent = role === "coder" && "kind" in answer && answer.kind === "empty-answer";
  if (!isSilent || run.ports.repository === undefined || run.runKind.readsOnly) return answer;
  if (await hasWork(run)) return { text: "" };
  const { name, title = name } = run.settings[role];
  return { ...answer, message: `${title} said nothing and changed no file` };
}

function fail(run: Run, result: AgentResult, failure: AgentFailure): AgentFailure | Ending {
  run.state = failedState(run.state, result, failure);
  return isCancelled(run) ? INTERRUPTED : failure;
}

/** Ends of an agent at which nothing was wrong with its work: somebody ended it. */
const CUT_OFF: ReadonlySet<AgentFailure["kind"]> = new Set(["cancelled", "killed"]);

/** The state in which a turn that failed is to be taken again. */
export function failedState(
  state: CycleState,
  result: AgentResult,
  failure: AgentFailure,
): CycleState {
  const { role, reservedUsd, resumed } = state.turn ?? { role: "", reservedUsd: 0 };
  const refused = resumed === true && NO_SESSION.has(failure.kind);
  const cost = refused ? refusedCost(result) : settledCost(result, reservedUsd);
  const status = CUT_OFF.has(failure.kind) ? "lost" : "failed";
  const failed = failTurn(state, cost, `${role}: ${failure.message}`, status);
  const limited = failure.kind === "rate-limit" ? limitUntil(failed, failure.retryAt) : failed;
  return USELESS_SESSION.has(failure.kind) ? forgetSession(limited) : limited;
}

/**
 * Why nothing can be made of a result; `undefined` where it can be worked with.
 *
 * @param asks - Whether its agent may ask a person.
 */
export function failureOf(
  result: AgentResult,
  role: AgentRole,
  runKind: RunKind,
  asks = false,
): AgentFailure | undefined {
  const answer = answerOf(result, role, runKind, asks);
  return "kind" in answer ? answer : undefined;
}

interface Answer {
  readonly text: string;
  /** What it asks a person. @default nothing */
  readonly asked?: readonly Asked[] | undefined;
}

/** What a result says that can be worked with, or why it is none. */
function answerOf(
  result: AgentResult,
  role: AgentRole,
  runKind: RunKind,
  asks: boolean,
): Answer | AgentFailure {
  const { failure } = result;
  if (failure !== undefined && !(role === "reviewer" && failure.kind === "schema")) return failure;
  if (!asks) return role === "coder" ? { text: result.text } : reviewOf(result, runKind);
  const { text, asked: inText } = splitQuestions(result.text);
  const structured = structuredQuestions(result.structured);
  const asked = structured.length > 0 ? structured : inText;
  if (role === "coder") return { text, asked };
  const review = reviewOf({ ...result, text }, runKind);
  // Who cannot judge without an answer is asked again with it.
  const isBlocked = "kind" in review && asked.some(({ kind }) => kind === "blocker");
  return isBlocked ? { text: "", asked } : { ...review, asked };
}

function reviewOf(result: AgentResult, runKind: RunKind): Answer | AgentFailure {
  const { failure } = result;
  const rendered = result.structured === undefined ? "" : (renderReview(result.structured) ?? "");
  const texts = [rendered, reviewText(result.text) ?? ""].filter(
    (each) => parseReview(each).verdict !== undefined,
  );
  // An answer in its form that approves nothing is not taken for an approval because of what stands beside it.
  const text = texts.find(
    (each) => each === rendered || rendered === "" || parseReview(each).verdict !== "approved",
  );
  if (text !== undefined) return { text };
  // Who asked a reviewer alone knows what to make of another form.
  const isAnswer = runKind.takesAnyReview && failure === undefined && trimSpace(result.text) !== "";
  if (isAnswer) return { text: result.text };
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

/**
 * The work survives a power cut before its turn counts as done: it is not paid for again. An ending also
 * where the agent has left HEAD where a run does not continue: its turn is done all the same.
 */
async function syncWork(run: Run, isSynced: boolean): Promise<Ending | undefined> {
  try {
    const { repository } = run.ports;
    if (repository === undefined) return undefined;
    const before = run.head;
    const seen = await repository.syncWork(before, isSynced);
    const away = run.runKind.readsOnly ? undefined : await misplaced(run, repository, seen);
    if (away !== undefined) return away;
    run.mayHaveSteered ||= seen.head !== before;
    [run.head, run.seen] = [seen.head, seen];
    const warning = await foreignWork(run.state, repository, before, run.head);
    if (warning !== undefined) await run.warn(warning);
    return undefined;
  } catch (error) {
    return gitEnding("the work cannot be kept", error);
  }
}
