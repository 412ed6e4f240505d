import { parse, stringify, TomlDate } from "smol-toml";
import * as v from "valibot";
import { NebulaError } from "../errors.ts";
import { byName } from "./by-name.ts";
import { isTable, type Table } from "./toml.ts";

export const GO_STATE_FILE = "nebula.state.toml";

/** The states of a phase that the Go original knows. */
export const GO_STATUSES = [
  "pending",
  "created",
  "in_progress",
  "done",
  "failed",
  "skipped",
  "decomposed",
] as const;
export type GoStatus = (typeof GO_STATUSES)[number];

/** What nebula.state.toml says: the state of a nebula as the Go original keeps it. */
export interface GoState {
  readonly nebulaName: string;
  readonly totalCostUsd: number;
  /** By the phases' ids. */
  readonly phases: ReadonlyMap<string, GoPhaseState>;
  /** Keys that are not known, as they are. */
  readonly extra: Table;
}

export interface GoPhaseState {
  readonly beadId: string;
  readonly status: GoStatus;
  /** RFC 3339, to the millisecond. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly report: GoReport | undefined;
  readonly extra: Table;
}

export interface GoReport {
  readonly satisfaction: string;
  readonly risk: string;
  readonly needsHumanReview: boolean;
  readonly summary: string;
  readonly extra: Table;
}

export interface DecodedGoState {
  readonly state: GoState;
  /** One sentence each. */
  readonly warnings: readonly string[];
}

const VERSION = 1;
const MAX_DEPTH = 16;
const NO_TIME = "0001-01-01T00:00:00.000Z";

const text = v.optional(v.string("a text"), "");
const time = v.optional(
  v.pipe(
    v.instance(TomlDate, "a time"),
    v.check((date) => date.isDateTime() && !date.isLocal() && date.isValid(), "a time"),
    v.transform((date) => date.toISOString()),
  ),
);

const REPORT = v.looseObject(
  {
    satisfaction: text,
    risk: text,
    needs_human_review: v.optional(v.boolean("true or false"), false),
    summary: text,
  },
  "a table",
);

const PHASE = v.looseObject(
  {
    bead_id: text,
    status: v.picklist(GO_STATUSES, `one of ${GO_STATUSES.join(", ")}`),
    created_at: time,
    updated_at: time,
    report: v.optional(REPORT),
  },
  "a table",
);

const STATE = v.looseObject({
  version: v.optional(v.pipe(v.number("a whole number"), v.integer("a whole number")), 0),
  nebula_name: text,
  total_cost_usd: v.optional(
    v.pipe(v.number("an amount"), v.finite("an amount"), v.minValue(0, "an amount of 0 or more")),
    0,
  ),
});

/**
 * Reads nebula.state.toml. `[tasks]`, as early versions called the phases, is read where there are no `[phases]`.
 *
 * @throws {NebulaError} `ERR_INCOMPATIBLE_VERSION` for a newer one; `ERR_INVALID_STATE`
 */
export function decodeGoState(source: string): DecodedGoState {
  const root = parseRoot(source);
  const { version, nebula_name, total_cost_usd, phases, tasks, ...extra } = read(STATE, root, "");
  if (version > VERSION) {
    const message = `${GO_STATE_FILE} has version ${version}, and ${VERSION} is the newest that is known`;
    throw new NebulaError("ERR_INCOMPATIBLE_VERSION", message);
  }
  const [own, former] = [tableOf(phases, "phases"), tableOf(tasks, "tasks")];
  const isFormer = own.length === 0 && former.length > 0;
  return {
    state: {
      nebulaName: nebula_name,
      totalCostUsd: total_cost_usd,
      phases: new Map((isFormer ? former : own).map(([id, each]) => [id, phaseOf(id, each)])),
      extra,
    },
    warnings: isFormer
      ? [`${GO_STATE_FILE} has [tasks], as early versions wrote it: it is read as [phases]`]
      : [],
  };
}

function parseRoot(source: string): Table {
  try {
    return parse(source, { maxDepth: MAX_DEPTH });
  } catch (error) {
    const [why = ""] = error instanceof Error ? error.message.split("\n") : [];
    throw new NebulaError("ERR_INVALID_STATE", `${GO_STATE_FILE} is damaged: ${why}`, {
      cause: error,
    });
  }
}

function read<S extends v.GenericSchema>(schema: S, value: unknown, at: string): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = [at, ...(issue.path ?? []).map(({ key }) => String(key))].filter(Boolean).join(".");
  const wrong = issue.received === "undefined" ? "missing" : `not ${issue.message}`;
  throw new NebulaError("ERR_INVALID_STATE", `${GO_STATE_FILE} is damaged: ${path} is ${wrong}`);
}

function tableOf(value: unknown, at: string): readonly (readonly [string, unknown])[] {
  if (value === undefined) return [];
  if (isTable(value)) return Object.entries(value);
  throw new NebulaError("ERR_INVALID_STATE", `${GO_STATE_FILE} is damaged: ${at} is not a table`);
}

function phaseOf(id: string, value: unknown): GoPhaseState {
  const { bead_id, status, created_at, updated_at, report, ...extra } = read(
    PHASE,
    value,
    `phases.${id}`,
  );
  return {
    beadId: bead_id,
    status,
    createdAt: created_at ?? NO_TIME,
    updatedAt: updated_at ?? NO_TIME,
    report: report === undefined ? undefined : reportOf(report),
    extra,
  };
}

function reportOf({
  satisfaction,
  risk,
  needs_human_review,
  summary,
  ...extra
}: v.InferOutput<typeof REPORT>): GoReport {
  return { satisfaction, risk, needsHumanReview: needs_human_review, summary, extra };
}

/** The text of nebula.state.toml, which the Go original reads: phases by their ids, a cost of 0 left out. */
export function encodeGoState({ nebulaName, totalCostUsd, phases, extra }: GoState): string {
  const sorted = [...phases].toSorted(([a], [b]) => byName(a, b));
  return stringify({
    ...extra,
    version: VERSION,
    nebula_name: nebulaName,
    ...(totalCostUsd !== 0 && { total_cost_usd: totalCostUsd }),
    phases: Object.fromEntries(sorted.map(([id, phase]) => [id, tableOfPhase(phase)])),
  });
}

function tableOfPhase({
  beadId,
  status,
  createdAt,
  updatedAt,
  report,
  extra,
}: GoPhaseState): Table {
  return {
    ...extra,
    bead_id: beadId,
    status,
    created_at: new TomlDate(createdAt),
    updated_at: new TomlDate(updatedAt),
    ...(report !== undefined && {
      report: {
        ...report.extra,
        satisfaction: report.satisfaction,
        risk: report.risk,
        needs_human_review: report.needsHumanReview,
        summary: report.summary,
      },
    }),
  };
}

/**
 * What a phase of nebula.state.toml is to a nebula that continues from it: split phases are done, since their parts are phases
 * too; what was under way is open again.
 */
export function goOutcome(status: GoStatus): "done" | "failed" | "skipped" | "open" {
  return OUTCOMES[status];
}

const OUTCOMES = {
  pending: "open",
  created: "open",
  in_progress: "open",
  done: "done",
  decomposed: "done",
  failed: "failed",
  skipped: "skipped",
} as const satisfies Readonly<Record<GoStatus, string>>;
