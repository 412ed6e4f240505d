import * as v from "valibot";
import type { Came } from "../context/came.ts";
import { PortError } from "../port/errors.ts";
import type { Json } from "../port/port.ts";
import { boundText } from "../state/bounds.ts";

const text = v.string();
const commit = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u));
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));

const outcomeSchema = v.variant("as", [
  v.object({ as: v.literal("approved"), commit, task: text }),
  v.object({
    as: v.literal("failed"),
    reason: text,
    needed: v.optional(v.object({ maxBudgetUsd: amount, maxTurnBudgetUsd: amount })),
  }),
  v.object({ as: v.literal("asks"), questions: v.array(text) }),
  v.object({
    as: v.literal("limited"),
    agent: text,
    limit: v.object({ message: text, retryAt: v.optional(text) }),
  }),
]);

/** Workers of an earlier version do not say it. */
const machineSchema = v.object({ machine: v.pipe(text, v.maxLength(1000)) });

/** What came of a run, for the conductor. */
export type Outcome = Exclude<Came, { readonly as: "interrupted" | "waits" }>;

/** The same, and where it came. */
export interface OutcomeOn {
  readonly came: Outcome;
  /** `""`: its worker has not said. */
  readonly machine: string;
}

export function outcomeJson({ came, machine }: OutcomeOn): Json {
  return JSON.parse(JSON.stringify({ ...bounded(came), machine })) as Json;
}

function bounded(came: Outcome): Outcome {
  switch (came.as) {
    case "failed":
      return { ...came, reason: boundText(came.reason) };
    case "limited":
      return { ...came, limit: { ...came.limit, message: boundText(came.limit.message) } };
    case "approved":
    case "asks":
      return came;
  }
}

/** @throws {PortError} `ERR_PROTOCOL`: a worker is not trusted to send one. */
export function readOutcome(value: unknown): OutcomeOn {
  const found = v.safeParse(outcomeSchema, value);
  const on = v.safeParse(machineSchema, value);
  if (found.success) return { came: found.output, machine: on.success ? on.output.machine : "" };
  throw new PortError("ERR_PROTOCOL", `no outcome of a run: ${found.issues[0].message}`);
}
