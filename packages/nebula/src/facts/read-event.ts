import { QUESTION_KINDS } from "@quasar/runs/internal";
import * as v from "valibot";
import type { KeptEvent } from "../state/recent-events.ts";

const text = v.string();
const texts = v.pipe(v.array(text), v.readonly());
const flag = v.boolean();
const count = v.number();
const at = text;
const phase = text;
const outcome = v.picklist(["passed", "failed", "flaky", "known", "accepted"]);
const of = <const T extends string>(type: T) => v.literal(type);

/** Each event as the journal has it; keys that are not known are left out. */
const eventSchema = v.variant("type", [
  v.object({ type: of("nebula_begun"), at, id: text, base: text }),
  v.object({ type: of("engine_begins"), at }),
  v.object({
    ...{ type: of("engine_ends"), at, message: text },
    end: v.picklist([
      ...["done", "landed", "failed", "waiting", "budget", "red_base", "limit"],
      ...["interrupted", "error"],
    ] as const),
  }),
  v.object({ type: of("phase_begun"), at, phase, attempt: count, runId: text }),
  v.object({
    ...{ type: of("phase_approved"), at, phase, attempt: count, tip: text },
    isOutdated: v.optional(flag),
  }),
  v.object({ type: of("candidate_made"), at, phase, onto: text, candidate: text }),
  v.object({ type: of("verification"), at, phase, tree: text, outcome }),
  v.object({
    ...{ type: of("base_verified"), at, tip: text, outcome, findings: texts },
    failsSetUp: v.optional(flag),
  }),
  v.object({ type: of("phase_landed"), at, phase, candidate: text, verified: flag }),
  v.object({ type: of("landing_repeated"), at, phase, candidate: text }),
  v.object({ type: of("base_moved"), at, phase, tip: text }),
  v.object({ type: of("phase_unchanged"), at, phase }),
  v.object({ type: of("phase_funded"), at, phase }),
  v.object({ type: of("rework"), at, phase, attempt: count, findings: texts }),
  v.object({ type: of("agent_limited"), at, phase, agent: text, until: text, message: text }),
  v.object({ type: of("outside_scope"), at, phase, paths: texts }),
  v.object({
    ...{ type: of("decision"), at, phase, attempt: count, reason: text },
    verb: v.picklist(["approve", "reject", "retry", "skip"]),
    isResumed: v.optional(flag),
  }),
  v.object({ type: of("plan_waits"), at, isRejected: flag, reason: text }),
  v.object({
    ...{ type: of("plan_decision"), at, reason: text },
    verb: v.picklist(["approve", "reject"]),
  }),
  v.object({
    ...{ type: of("question_asked"), at, phase, id: text, cycle: count },
    ...{ summary: text, detail: text, options: texts },
    role: v.picklist(["coder", "reviewer"]),
    kind: v.picklist(QUESTION_KINDS),
  }),
  v.object({ type: of("question_answered"), at, phase, id: text, text, agent: v.optional(text) }),
  v.object({ type: of("question_expired"), at, phase, id: text, summary: text }),
  v.object({
    ...{ type: v.picklist(["phase_failed", "phase_skipped", "phase_waits"]), at },
    ...{ phase, reason: text },
  }),
  v.object({
    ...{ type: v.picklist(["engine_stops", "engine_pauses", "engine_continues"]), at },
    reason: text,
  }),
  v.object({ type: of("base_update"), at, phase, commit: text, name: text }),
  v.object({ type: of("branch_pushed"), at, remote: text, tip: text }),
  v.object({ type: of("push_refused"), at, reason: text }),
  v.object({ type: of("nebula_updated"), at, phases: texts }),
  v.object({ type: of("warning"), at, phase: v.optional(phase), message: text }),
]) satisfies v.GenericSchema<unknown, KeptEvent>;

/** An event of a journal; `undefined`: it is none that this version knows. */
export function readEvent(data: unknown): KeptEvent | undefined {
  const { success, output } = v.safeParse(eventSchema, data);
  return success ? output : undefined;
}
