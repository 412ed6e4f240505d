import * as v from "valibot";
import { errorLine } from "../../shared/schemas/error-line.ts";
import {
  flag,
  list,
  object,
  runId,
  sha,
  shaOrNone,
  steps,
  text,
  texts,
  time,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import {
  type Described,
  linesOf,
  type Printed,
  result,
  type Timed,
  timedLine,
  withKeys,
} from "../../shared/schemas/line.ts";
import type { engineFacts } from "../facts/nebula-apply.ts";
import { FOLDER_CHANGED } from "./nebula.ts";
import { shortage, BILL } from "./spending.ts";
import { noticeLine, OF_LOOP, RUN_EVENTS, stepLine, waitingLine } from "./run.ts";

const STOP_REASONS = [
  ...(["done", "landed", "failed", "waiting"] as const),
  ...(["red_base", "budget", "limit", "interrupted"] as const),
] as const;

const phaseId = text('The phase; "": the nebula as a whole');

const questionKind = word(
  ["decision_needed", "ambiguity", "blocker", "human_review"],
  "What a question is about; blocker: the phase waits for the answer",
);

const question = object(
  {
    questionId: text("Its id, which an answer names"),
    phaseId: text("The phase"),
    role: word(["coder", "reviewer"], "Who asks"),
    cycle: whole("The cycle in which it asks, from 1"),
    kind: questionKind,
    summary: text("What is asked"),
    detail: text("What depends on it"),
    options: texts("Answers to choose from; none: free"),
    askedAt: time("When it was asked"),
  },
  "A question of an agent that a person can answer",
);

const eventLine = timedLine(
  "nebula_event",
  "Something happened to a nebula that is kept on record",
  {
    what: word(
      [
        "nebula_begun",
        "engine_begins",
        "engine_ends",
        "phase_begun",
        "phase_approved",
        "candidate_made",
        "verification",
        "base_verified",
        "phase_landed",
        "landing_repeated",
        "base_moved",
        "phase_unchanged",
        "phase_funded",
        "rework",
        "phase_failed",
        "phase_skipped",
        "phase_waits",
        "decision",
        "outside_scope",
        "agent_limited",
        "plan_waits",
        "plan_decision",
        "question_asked",
        "question_answered",
        "question_expired",
        "nebula_updated",
        "base_update",
        "branch_pushed",
        "push_refused",
        "engine_stops",
        "engine_pauses",
        "engine_continues",
      ],
      "What",
    ),
    phaseId,
    attempt: v.optional(whole("From 1; each rework and each retry is a new one")),
    runId: v.optional(runId("The run of the attempt")),
    sha: v.optional(sha("The commit that it is about")),
    isOutdated: v.optional(
      flag("Of an approval: an update has given the phase another text, which came too late"),
    ),
    outcome: v.optional(
      word(
        ["passed", "failed", "flaky", "known", "accepted"],
        "Of a verification; accepted: what fails has failed before",
      ),
    ),
    end: v.optional(
      word([...STOP_REASONS, "error"], "How an engine ended; error: of its own, and no phase's"),
    ),
    phaseIds: v.optional(texts("The phases that an update is about")),
    reasons: v.optional(
      texts("Why the phase goes back to its agents, or what fails on the branch"),
    ),
    agent: v.optional(
      text(
        "The agent that met its usage limit, or that has answered a question, as it names itself",
      ),
    ),
    retryAt: v.optional(time("When it is tried again")),
    paths: v.optional(texts("Files outside of what the phase says that it changes")),
    decision: v.optional(word(["approve", "reject", "retry", "skip"], "What a person has decided")),
    isRejected: v.optional(
      flag("Whether a person has rejected the plan; else nobody has answered"),
    ),
    questionId: v.optional(text("The question of an agent")),
    role: v.optional(word(["coder", "reviewer"], "Who asks")),
    cycle: v.optional(whole("The cycle in which it asks, from 1")),
    kind: v.optional(questionKind),
    summary: v.optional(text("What is asked")),
    detail: v.optional(text("What depends on it")),
    options: v.optional(texts("Answers to choose from; none: free")),
    text: v.optional(text("What was answered")),
    reason: v.optional(text("Why, for a person; of a push the remote")),
  },
);

const runLine = timedLine("phase_run", "The run of a phase begins or resumes", {
  phaseId,
  runId: runId(),
});

const status = word(
  ["pending", "running", "queued", "landing", "done", "failed", "skipped", "awaiting_human"],
  "Where it is; running: it has begun, and isWorkedOn says whether it is worked on",
);

/** A phase as it stands. */
export const PHASE_ENTRIES = {
  phaseId: text("Its name in the nebula"),
  status,
  isWorkedOn: flag("Whether an agent works on it at this moment, or its work tree is made ready"),
  reason: text("Why it failed, was skipped or waits"),
  attempt: whole("From 1"),
  runIds: texts("Its runs, oldest first"),
  baseSha: shaOrNone("Where its attempt began"),
  tipSha: shaOrNone("What was approved"),
  landedSha: shaOrNone("Its landing on the branch"),
  retryAt: v.optional(time("When the usage limit is lifted that stopped it")),
  landsAfter: v.optional(text("The phase that lands first, where it is approved and waits")),
  machine: v.optional(text("Of a nebula of a fleet: who works on it; empty: nobody")),
  machines: v.optional(texts("Of a nebula of a fleet: who has worked on it, oldest first")),
  ...BILL,
};

const phase = object(PHASE_ENTRIES, "A phase as it stands");

export const NEBULA_ENTRIES = {
  nebulaId: text("Its id"),
  nebula: text("Its name"),
  dir: text("The folder that it was begun from"),
  branch: text("The branch that it lands on"),
  baseSha: sha("Where that began"),
  ...BILL,
  landedCount: whole("How many of its phases have landed, or had nothing to land"),
  unchangedCount: whole("How many of those had nothing to land"),
  phaseCount: whole("How many phases of work it has: those that only merge the base do not count"),
  shortages: list(shortage, "The limits that are too small for phases to begin or continue"),
  pid: v.optional(whole("The process that works on it")),
  stops: v.optional(
    word(
      ["now", "after-turns"],
      "That a person has asked that process to stop; left out: nobody has",
    ),
  ),
  agentPhaseIds: texts(
    "Phases whose agents work and cost although no process does that works on the nebula: a resume reattaches to them",
  ),
  pauseEnds: texts("The commands that together end its pause; none: it is not paused"),
  obstacles: texts("What stands in the way of an engine, each in words; none: nothing does"),
  plan: word(
    ["open", "asked", "rejected"],
    "open: phases may begin; else none does before a person approves the plan",
  ),
  planReason: text('Why the plan was rejected, for a person; "" where it was not'),
  push: v.optional(
    word(
      ["asked", "pushed", "refused"],
      "What became of the push of its branch; left out: nobody has asked for one",
    ),
  ),
  pushReason: v.optional(text("The remote that it was pushed to, or why it was not")),
  questions: list(question, "That have no answer yet"),
  phases: list(phase, "In the order of the plan"),
};

const resultLine = timedLine("nebula", "The last line: how the nebula stands, and why it stopped", {
  ...NEBULA_ENTRIES,
  reason: word(STOP_REASONS, "Why it stopped"),
  exit: whole("The exit code, which the README lists"),
  next: steps(),
});

export const nebulaStatusLine = result("nebula_status", "How a nebula stands", {
  ...NEBULA_ENTRIES,
  isFolderChanged: FOLDER_CHANGED,
  isFinished: flag("Whether nothing happens to it any more by itself"),
  runs: v.optional(
    list(
      object(
        {
          phaseId: text("The phase"),
          attempt: whole("From 1"),
          runId: runId("Its run: quasar cost shows its turns"),
          ...BILL,
        },
        "An attempt of a phase, and what it has cost",
      ),
      "With --cost: in the order of the plan, oldest first",
    ),
  ),
});

export type NebulaStatusLine = Printed<typeof nebulaStatusLine>;

export const nebulaAnswerLine = result("nebula_answer", "A person has decided, or answered", {
  nebulaId: text("The nebula"),
  phaseId: text('The phase; "": the plan as a whole'),
  decision: word(["approve", "reject", "retry", "skip", "answer"], "What was decided"),
  questionId: v.optional(text("The question of an agent that was answered")),
  isFolderChanged: v.optional(FOLDER_CHANGED),
  isTaken: flag(
    "Whether it is carried out; else the engine that works on it does so within a second",
  ),
});

export type NebulaAnswerLine = Printed<typeof nebulaAnswerLine>;

/** What `nebula apply` prints. */
export const NEBULA_APPLY_LINES = [
  eventLine,
  runLine,
  ...linesOf(RUN_EVENTS, { ...OF_LOOP, phaseId }),
  withKeys(noticeLine, { phaseId }),
  withKeys(waitingLine, { phaseId }),
  resultLine,
  errorLine,
] as const;

/** What `nebula demo` prints. */
export const NEBULA_DEMO_LINES = [stepLine, ...NEBULA_APPLY_LINES] as const;

/** What `nebula log` prints. */
export const NEBULA_LOG_LINES = [
  eventLine,
  timedLine("warning", "What a person should know, and what stops nothing", {
    cycle: whole("0: of no cycle"),
    message: text("For a person"),
    phaseId,
  }),
  errorLine,
] as const;

export type NebulaApplyLine = Described<
  Printed<(typeof NEBULA_APPLY_LINES)[number]>,
  Timed<ReturnType<typeof engineFacts>>
>;
