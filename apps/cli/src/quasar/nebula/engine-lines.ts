import type { Told } from "@quasar/nebula";
import type { RunEvent } from "@quasar/runs";
import { cleanLine, count, fit, moment } from "@quasar/runs/text";
import { doneWords, RECOVERIES } from "@quasar/runs/words";
import type { Presenter } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { engineFacts, type NebulaResult } from "../facts/nebula-apply.ts";
import { headline } from "./headline.ts";
import { questionWords, stateLines } from "./state-lines.ts";

/** What `quasar nebula apply` reports. */
export type EngineRecord =
  | Told
  | { readonly type: "notice"; readonly message: string }
  | NebulaResult;

/** Lines alone: many phases work at once, and each line says whose it is. */
export const ENGINE: Presenter<EngineRecord, { readonly working: number }> = {
  facts: engineFacts,
  idle: { working: 0 },
  advance: (before) => before,
  lines: (record, _progress, view) => engineLines(record, view),
  block: () => [],
  still: () => [],
  isDiagnostic: ({ type }) => type === "warning" || type === "notice",
  isAwaited: () => false,
  ended: (progress) => progress,
};

/** The lines that tell a record to a person. */
export function engineLines(record: EngineRecord, view: View): string[] {
  const say = (id: string, text: string, style?: "green" | "yellow" | "red"): string[] =>
    labelled(view, fit(cleanLine(id), 16), fit(cleanLine(text), 400), style);
  /** A reason of any length, which `show` has in full. */
  const because = (id: string, how: string, why: string, style?: "yellow" | "red"): string[] =>
    say(id, `${how}${headline(why, view, `${fit(cleanLine(id), 16).slice(8)}${how}`)}`, style);
  switch (record.type) {
    case "nebula_begun":
      return say("nebula", `${record.id} begins at ${record.base.slice(0, 10)}`);
    case "nebula_updated":
      return say("nebula", `updated from its folder: ${record.phases.join(", ")}`);
    case "branch_pushed":
      return say("push", `${record.tip.slice(0, 10)} is on ${record.remote}`, "green");
    case "push_refused":
      return because("push", "refused: ", record.reason, "yellow");
    case "base_update":
      return say(record.phase, `merges ${record.name} (${record.commit.slice(0, 10)})`);
    case "engine_stops":
      return say("nebula", `stops ${record.reason}`, "yellow");
    case "engine_pauses":
      return say("nebula", `paused ${record.reason}`, "yellow");
    case "engine_continues":
      return say("nebula", `continues: ${record.reason}`);
    case "phase_begun":
      return say(
        record.phase,
        record.attempt === 1 ? "begins" : `attempt ${record.attempt} begins`,
      );
    case "phase_approved":
      return [
        ...say(record.phase, "approved by its reviewer; waits to land"),
        ...(record.isOutdated === true
          ? say("", "keeps the text that it began with: its new one came too late", "yellow")
          : []),
      ];
    case "candidate_made":
      return [];
    case "verification":
      return say(
        record.phase,
        VERIFIED[record.outcome],
        record.outcome === "failed" ? "yellow" : undefined,
      );
    case "base_verified":
      if (record.outcome === "known") return [];
      return [
        ...say(
          "nebula",
          `${record.tip.slice(0, 10)} ${BASE[record.outcome]}`,
          record.outcome === "failed" ? "red" : undefined,
        ),
        ...record.findings.flatMap((finding) => because("", "", finding, "yellow")),
      ];
    case "phase_landed": {
      const how = record.verified ? "landed, verified" : "landed, not verified";
      return say(record.phase, `${how}: ${record.candidate.slice(0, 10)}`, "green");
    }
    case "landing_repeated":
      return say(record.phase, "landed again: the branch was back at the commit before it");
    case "base_moved":
      return say(
        record.phase,
        `somebody moved the branch to ${record.tip.slice(0, 10)}: merges on that`,
      );
    case "phase_unchanged":
      return say(record.phase, "done: there is nothing to land");
    case "phase_funded":
      return say(record.phase, "has enough budget now: continues");
    case "rework":
      return record.findings.flatMap((finding, at) =>
        at === 0
          ? because(record.phase, "cannot land; back to its coder: ", finding, "yellow")
          : because("", "", finding, "yellow"),
      );
    case "agent_limited":
      return say(
        record.phase,
        `${record.agent} met its usage limit; tried again at ${moment(record.until)}: ${record.message}`,
        "yellow",
      );
    case "outside_scope":
      return say(
        record.phase,
        `changes what its scope does not name: ${record.paths.join(", ")}`,
        "yellow",
      );
    case "decision":
      return say(record.phase, record.isResumed ? CONTINUED : DECIDED[record.verb]);
    case "plan_waits": {
      const why = record.reason === "" ? "" : `: ${record.reason}`;
      return say("plan", record.isRejected ? `rejected${why}` : "waits for you", "yellow");
    }
    case "plan_decision":
      return say("plan", DECIDED[record.verb]);
    case "question_asked": {
      const { id, phase, role, detail } = record;
      return [
        ...say(phase, `${role} asks: ${questionWords(record)}`, "yellow"),
        ...(detail === "" ? [] : say("", detail)),
        ...say("", `quasar nebula answer ${id} "your answer"`),
      ];
    }
    case "question_answered":
      return say(record.phase, `${record.id} answered: ${record.text}`);
    case "question_expired":
      return say(record.phase, `${record.id}: no answer in time; its agent decides`, "yellow");
    case "phase_failed":
      return because(record.phase, "failed: ", record.reason, "red");
    case "phase_skipped":
      return because(record.phase, "skipped: ", record.reason, "yellow");
    case "phase_waits":
      return because(record.phase, "waits for you: ", record.reason, "yellow");
    case "warning":
      return say(record.phase ?? "warning", record.message, "yellow");
    case "notice":
      return say("", record.message);
    case "run_event":
      return runEventWords(record.event).flatMap((words) => say(record.phase, words));
    case "nebula":
      return [...stateLines(record, view), ...nextLines(record.next, view)];
  }
}

const DECIDED = {
  approve: "approved by a person",
  reject: "rejected by a person",
  retry: "a person has it begin again",
  skip: "skipped by a person",
} as const;

/** Of a retry where a review is left. */
const CONTINUED = "a person has its run continue with the review";

const VERIFIED = {
  passed: "verified on the merged tree",
  known: "verified before: the merged tree has a receipt",
  flaky: "verified at the second try: a command is flaky",
  failed: "the merged tree did not pass",
  accepted: "fails as the branch does, and no worse",
} as const;

const BASE = {
  passed: "is verified: phases begin there",
  flaky: "passes at the second try: a command is flaky",
  failed: "fails by itself: no phase begins or lands there",
  accepted: "fails by itself, which was accepted",
} as const;

/** What of a phase's run is worth a line among many. */
function runEventWords(event: RunEvent): readonly string[] {
  switch (event.type) {
    case "agent_done":
      return [`cycle ${event.cycle}: ${event.role} ${doneWords(event)}`];
    case "review_complete":
      return event.approved
        ? []
        : [`cycle ${event.cycle}: ${count(event.findings.length, "issue")} found`];
    case "check_done":
      return event.passed ? [] : [`cycle ${event.cycle}: ${event.name} failed`];
    case "turn_recovered":
      return [`the ${event.role} ${RECOVERIES[event.how]}`];
    case "turn_retry":
      return [`the ${event.role}'s turn failed; retry ${event.retry} of ${event.most}`];
    case "refactored":
      return [`cycle ${event.cycle}: has taken its new text`];
    case "waiting":
      return [`waits for a usage limit: ${event.message}`];
    case "warning":
    case "notice":
      return [event.message];
    default:
      return [];
  }
}
