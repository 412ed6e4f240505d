import { parse, stringify } from "smol-toml";
import * as v from "valibot";
import { NebulaError } from "../errors.ts";
import { NO_EVENTS, type RecentEvents } from "./recent-events.ts";
import {
  type NebulaState,
  NO_PUSH,
  PHASE_STATUSES,
  PLAN_VERDICTS,
  QUESTIONS,
  REWORK_CAUSES,
} from "./state.ts";

const text = v.pipe(v.string(), v.maxLength(64 * 1024));
const commit = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/u, "a commit's id"));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
const name = v.pipe(v.string(), v.regex(/^[0-9a-z-]{1,64}$/u, "a plain name"));

/** What is optional here need not be in a file: the default says what it means then. */
const phase = v.object({
  id: text,
  ref: name,
  status: v.picklist(PHASE_STATUSES),
  attempt: v.pipe(count, v.minValue(1)),
  reason: text,
  base: commit,
  runId: text,
  runs: v.array(text),
  machines: v.optional(v.record(text, text)),
  costs: v.optional(
    v.record(
      text,
      v.object({ spentUsd: amount, unknownUsd: amount, hasUnreportedCosts: v.boolean() }),
    ),
  ),
  reservedUsd: amount,
  neededUsd: v.optional(amount, 0),
  neededTurnUsd: v.optional(amount, 0),
  tip: commit,
  seq: count,
  onto: commit,
  candidate: commit,
  tree: commit,
  verified: v.optional(v.boolean(), false),
  landing: count,
  question: v.picklist(["", ...QUESTIONS]),
  digest: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{64})?$/u, "a digest")),
  approved: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{64})?$/u, "a digest")),
  approvedCandidate: v.optional(commit, ""),
  reworks: v.array(v.picklist(REWORK_CAUSES)),
  holdsSince: v.optional(text, ""),
  questions: v.optional(v.array(text), []),
  findings: v.array(text),
  conflictCommit: commit,
  conflicts: v.array(text),
  merges: v.optional(commit, ""),
  asksPerson: v.optional(v.boolean(), false),
  isLeftOut: v.optional(v.boolean(), false),
  isCoderDone: v.optional(v.boolean(), false),
  lostTreeRunId: v.optional(text, ""),
  limitedBy: v.optional(text, ""),
  updatedAt: text,
});

const state = v.object({
  id: name,
  name: text,
  branch: text,
  dir: text,
  base: commit,
  revision: name,
  planVerdict: v.optional(v.picklist(PLAN_VERDICTS), ""),
  planReason: v.optional(text, ""),
  createdAt: text,
  archivedFrom: text,
  archivedTip: v.optional(commit, ""),
  typedMaxWorkers: v.optional(v.pipe(count, v.minValue(1))),
  typedTotalUsd: v.optional(amount),
  typedPhaseUsd: v.optional(amount),
  trees: v.optional(text),
  treesOf: v.optional(text),
  acceptedFailures: v.optional(v.array(text), []),
  ownsBranch: v.optional(v.boolean(), true),
  isPushAsked: v.optional(v.boolean(), NO_PUSH.isPushAsked),
  pushRemote: v.optional(text, NO_PUSH.pushRemote),
  pushUrl: v.optional(text, NO_PUSH.pushUrl),
  pushDigest: v.optional(text, NO_PUSH.pushDigest),
  pushHooks: v.optional(text, NO_PUSH.pushHooks),
  pushedTip: v.optional(commit, NO_PUSH.pushedTip),
  pushedTo: v.optional(text, NO_PUSH.pushedTo),
  pushProblem: v.optional(text, NO_PUSH.pushProblem),
  phases: v.array(phase),
});

const VERSION = 1;

/** What state.toml holds. */
export interface SavedState {
  readonly state: NebulaState;
  readonly recent: RecentEvents;
}

const saved = v.object({
  ...state.entries,
  eventsFrom: v.optional(count, NO_EVENTS.from),
  events: v.optional(v.array(text), []),
});

/** Bytes of the largest state.toml. */
export const MOST_BYTES = 64 * 1024 * 1024;

/**
 * As state.toml. Values that are empty are written too: a file says all that it knows.
 *
 * @throws {NebulaError} `ERR_USAGE` for what {@link decodeSaved} would refuse.
 */
export function encodeState({
  state: { phases, ...rest },
  recent: { from: eventsFrom, events },
}: SavedState): Uint8Array {
  const values = { ...rest, eventsFrom, events };
  const { issues } = v.safeParse(saved, { ...values, phases });
  if (issues !== undefined) throw new NebulaError("ERR_USAGE", messageOf(issues));
  const file = { version: VERSION, ...toDisk(values), phases: phases.map(toDisk) };
  const bytes = Buffer.from(stringify(file));
  if (bytes.length <= MOST_BYTES) return bytes;
  throw new NebulaError("ERR_USAGE", "the state would be larger than 64 MiB: it is not saved");
}

function messageOf([issue]: readonly [v.BaseIssue<unknown>, ...unknown[]]): string {
  return `the state's ${diskName(v.getDotPath(issue) ?? "")}: ${issue.message}`;
}

/** @throws {NebulaError} `ERR_DAMAGED`, naming the key; `ERR_INCOMPATIBLE_VERSION` for a later version, of which no key is read. */
export function decodeSaved(bytes: Uint8Array): SavedState {
  let file: Readonly<Record<string, unknown>>;
  try {
    file = parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new NebulaError("ERR_DAMAGED", "the state is not TOML", { cause: error });
  }
  const { version } = file;
  if (version !== VERSION) {
    const isLater = typeof version === "number" && version > VERSION;
    const code = isLater ? "ERR_INCOMPATIBLE_VERSION" : "ERR_DAMAGED";
    const what = JSON.stringify(version) ?? "none";
    throw new NebulaError(code, `version ${what} of a nebula's state is not known`);
  }
  const { phases, ...rest } = file;
  const list: readonly unknown[] = Array.isArray(phases) ? phases : [];
  const found = v.safeParse(saved, { ...fromDisk(rest), phases: list.map(fromDisk) });
  if (found.success) {
    const { eventsFrom: from, events, ...read } = found.output;
    return { state: read, recent: { from, events } };
  }
  throw new NebulaError("ERR_DAMAGED", messageOf(found.issues));
}

function toDisk(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [diskName(key), value]));
}

function fromDisk(values: unknown): Readonly<Record<string, unknown>> {
  const entries = typeof values === "object" && values !== null ? Object.entries(values) : [];
  return Object.fromEntries(entries.map(([key, value]) => [memoryName(key), value]));
}

const diskName = (key: string): string =>
  key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
const memoryName = (key: string): string =>
  (FORMER.get(key) ?? key).replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());

/** Keys of files of earlier versions, and what they are called by now. */
const FORMER: ReadonlyMap<string, string> = new Map([["is_review_left", "is_coder_done"]]);
