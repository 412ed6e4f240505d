import { cleanLine, fit } from "@quasar/runs/text";
import { timeText } from "@quasar/runs/words";
import type { NebulaEvent } from "../events.ts";
import type { AgentQuestion } from "../question.ts";

/** A line that tells an event to a person. Its texts are not cleaned, but for those of questions. */
export interface EventLine {
  /** A phase's id, `nebula`, `plan`, `push` or `warning`; `""`: it continues the line before. */
  readonly about: string;
  readonly text: string;
  /** A reason of any length that stands behind the text, with lines of its own; `undefined`: none. */
  readonly why?: string | undefined;
  readonly tone?: "good" | "warning" | "bad" | undefined;
}

/**
 * What a nebula's event is in words: the same on every screen. None of what says nothing to a person.
 *
 * @param moment - How a time is shown: RFC 3339 is given.
 */
export function eventWords(
  event: NebulaEvent,
  moment: (rfc3339: string) => string,
): readonly EventLine[] {
  switch (event.type) {
    case "nebula_begun":
      return [{ about: "nebula", text: `${event.id} begins at ${event.base.slice(0, 10)}` }];
    case "engine_begins":
      return [{ about: "nebula", text: "resumed" }];
    case "engine_ends":
      return [endWords(event)];
    case "nebula_updated":
      return [{ about: "nebula", text: `updated from its folder: ${event.phases.join(", ")}` }];
    case "branch_pushed": {
      const text = `${event.tip.slice(0, 10)} is on ${event.remote}`;
      return [{ about: "push", text, tone: "good" }];
    }
    case "push_refused":
      return [{ about: "push", text: "refused: ", why: event.reason, tone: "warning" }];
    case "base_update": {
      const text = `merges ${event.name} (${event.commit.slice(0, 10)})`;
      return [{ about: event.phase, text }];
    }
    case "engine_stops":
      return [{ about: "nebula", text: `stops ${event.reason}`, tone: "warning" }];
    case "engine_pauses":
      return [{ about: "nebula", text: `paused ${event.reason}`, tone: "warning" }];
    case "engine_continues":
      return [{ about: "nebula", text: `continues: ${event.reason}` }];
    case "phase_begun": {
      const text = event.attempt === 1 ? "begins" : `attempt ${event.attempt} begins`;
      return [{ about: event.phase, text }];
    }
    case "phase_approved":
      return [
        { about: event.phase, text: "approved by its reviewer; waits to land" },
        ...(event.isOutdated === true ? [OUTDATED] : []),
      ];
    case "candidate_made":
      return [];
    case "verification": {
      const tone = event.outcome === "failed" ? "warning" : undefined;
      return [{ about: event.phase, text: VERIFIED[event.outcome], tone }];
    }
    case "base_verified": {
      if (event.outcome === "known") return [];
      const text = `${event.tip.slice(0, 10)} ${BASE[event.outcome]}`;
      const tone = event.outcome === "failed" ? "bad" : undefined;
      return [{ about: "nebula", text, tone }, ...event.findings.map(alsoFound)];
    }
    case "phase_landed": {
      const how = event.verified ? "landed, verified" : "landed, not verified";
      const text = `${how}: ${event.candidate.slice(0, 10)}`;
      return [{ about: event.phase, text, tone: "good" }];
    }
    case "landing_repeated": {
      const text = "landed again: the branch was back at the commit before it";
      return [{ about: event.phase, text }];
    }
    case "base_moved": {
      const text = `somebody moved the branch to ${event.tip.slice(0, 10)}: merges on that`;
      return [{ about: event.phase, text }];
    }
    case "phase_unchanged":
      return [{ about: event.phase, text: "done: there is nothing to land" }];
    case "phase_funded":
      return [{ about: event.phase, text: "has enough budget now: continues" }];
    case "rework": {
      const [first, ...others] = event.findings;
      if (first === undefined) return [];
      const text = "cannot land; back to its coder: ";
      const line = { about: event.phase, text, why: first, tone: "warning" } as const;
      return [line, ...others.map(alsoFound)];
    }
    case "agent_limited": {
      const { agent, until, message } = event;
      const text =
        message === ""
          ? `waits for the usage limit of ${agent}; tried again at ${moment(until)}`
          : `${agent} met its usage limit; tried again at ${moment(until)}: ${message}`;
      return [{ about: event.phase, text, tone: "warning" }];
    }
    case "outside_scope": {
      const text = `changes what its scope does not name: ${event.paths.join(", ")}`;
      return [{ about: event.phase, text, tone: "warning" }];
    }
    case "decision": {
      const text = event.isResumed === true ? CONTINUED : DECIDED[event.verb];
      return [{ about: event.phase, text }];
    }
    case "plan_waits": {
      const why = event.reason === "" ? "" : `: ${event.reason}`;
      const text = event.isRejected ? `rejected${why}` : "waits for you";
      return [{ about: "plan", text, tone: "warning" }];
    }
    case "plan_decision":
      return [{ about: "plan", text: DECIDED[event.verb] }];
    case "question_asked": {
      const text = `${event.role} asks: ${questionWords(event)}`;
      const line = { about: event.phase, text, tone: "warning" } as const;
      return event.detail === "" ? [line] : [line, { about: "", text: event.detail }];
    }
    case "question_answered":
      return [{ about: event.phase, text: `${event.id} answered${byAgent(event)}: ${event.text}` }];
    case "question_expired": {
      const text = `${event.id}: no answer in time; its agent decides`;
      return [{ about: event.phase, text, tone: "warning" }];
    }
    case "phase_failed":
      return [{ about: event.phase, text: "failed: ", why: event.reason, tone: "bad" }];
    case "phase_skipped":
      return [{ about: event.phase, text: "skipped: ", why: event.reason, tone: "warning" }];
    case "phase_waits":
      return [{ about: event.phase, text: "waits for you: ", why: event.reason, tone: "warning" }];
    case "warning":
      return warningLines(event);
  }
}

/** The same as one line, without what it is about: cleaned for a terminal, its times in UTC. `""`: none. */
export function eventLine(event: NebulaEvent): string {
  return eventWords(event, timeText)
    .map(({ text, why = "" }) => fit(cleanLine(`${text}${why}`), MOST))
    .join("; ");
}

/** Columns of the longest part of a line. */
const MOST = 400;

/** A question in a line, with the answers to choose from: cleaned and bounded. */
export function questionWords({
  kind,
  summary,
  options,
}: Pick<AgentQuestion, "kind" | "summary" | "options">): string {
  const choices = options.map((option) => fit(cleanLine(option), 60)).join(" | ");
  const how = [kind.replace("_", " "), ...(choices === "" ? [] : [choices])].join("; ");
  return `${fit(cleanLine(summary), 200)} (${how})`;
}

/** How an engine ended, by what is on record; `undefined`: it is none that this version knows. */
export function lifeWords(end: string): string | undefined {
  return Object.hasOwn(ENDED, end) ? ENDED[end as keyof typeof ENDED] : undefined;
}

function endWords({ end, message }: Extract<NebulaEvent, { type: "engine_ends" }>): EventLine {
  if (end === "error") {
    return { about: "nebula", text: `${ENDED.error}: `, why: message, tone: "bad" };
  }
  return { about: "nebula", text: ENDED[end], tone: end === "done" ? "good" : undefined };
}

/** A command that stands in the last line stays there. */
function warningLines({
  phase: about = "warning",
  message,
}: Extract<NebulaEvent, { type: "warning" }>): readonly EventLine[] {
  const end = message.lastIndexOf("\n");
  if (end === -1) return [{ about, text: message, tone: "warning" }];
  return [
    { about, text: message.slice(0, end), tone: "warning" },
    { about: "", text: message.slice(end + 1), tone: "warning" },
  ];
}

function alsoFound(finding: string): EventLine {
  return { about: "", text: "", why: finding, tone: "warning" };
}

const ENDED = {
  done: "stopped: all has landed",
  landed: "stopped: what was approved has landed",
  failed: "stopped: phases have failed",
  waiting: "stopped: waits for you",
  budget: "stopped: a limit is too small",
  red_base: "stopped: its branch fails by itself",
  limit: "stopped: an agent met its usage limit",
  interrupted: "stopped: interrupted",
  error: "its engine failed",
} as const;

const OUTDATED: EventLine = {
  about: "",
  text: "keeps the text that it began with: its new one came too late",
  tone: "warning",
};

/** What a person has decided, after the phase or the plan that it is of. */
export const DECIDED = {
  approve: "approved by a person",
  reject: "rejected by a person",
  retry: "a person has it begin again",
  skip: "skipped by a person",
} as const;

/** Of a retry where its coder has finished. */
const CONTINUED = "a person has its run continue";

/** What came of a verification, after the phase that it is of. */
export const VERIFIED = {
  passed: "verified on the merged tree",
  known: "verified before: the merged tree has a receipt",
  flaky: "verified at the second try: a command is flaky",
  failed: "the merged tree did not pass",
  accepted: "fails as the branch does, and no worse",
} as const;

const BASE = {
  passed: "is verified by itself",
  flaky: "passes at the second try: a command is flaky",
  failed: "fails by itself: no phase begins or lands there",
  accepted: "fails by itself, which was accepted",
} as const;

/** Who has answered, where that was no person. */
function byAgent({ agent }: { readonly agent?: string | undefined }): string {
  return agent === undefined ? "" : ` by an agent (${agent})`;
}
