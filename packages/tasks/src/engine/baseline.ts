import type { HookFile, StepRecord } from "@quasar/hookfile";
import type { Session } from "./session.ts";

/** How a work tree stood when a step first started: what differs then is not the step's. */
export interface Baseline {
  readonly step: string;
  /** HEAD; `""`: there was no commit. */
  readonly head: string;
  /** Paths; `undefined`: too many to tell whose they are. */
  readonly dirty: readonly string[] | undefined;
}

/** The hook file's extra key. */
const KEY = "step_base";
/** More paths than this are not put down. */
const MOST_PATHS = 1_000;

/**
 * Looks at the work tree before a step starts, and returns what puts that down in the hook file. An
 * attempt that goes on with what another left keeps the other's.
 */
export async function withBaseline(
  session: Session,
  step: StepRecord,
): Promise<(hook: HookFile) => HookFile> {
  const hook = session.hook();
  const isAgain = step.attempts > 0 && step.status !== "rework";
  if (isAgain && baselineOf(hook, step.name) !== undefined) return (before) => before;
  const { baseSha } = session.task().metadata;
  const { parts, signal } = session;
  const { head, dirty } = await parts.eyes.inspect(hook.worktreePath, baseSha, { signal });
  const paths = dirty.length > MOST_PATHS ? undefined : dirty.map(({ path }) => path);
  const base = { step: step.name, head, ...(paths !== undefined && { dirty: paths }) };
  return (before) => ({ ...before, extra: { ...before.extra, [KEY]: base } });
}

/** How the work tree stood at the start of a step, where that is on record. */
export function baselineOf({ extra }: HookFile, stepName: string): Baseline | undefined {
  const value = extra[KEY];
  if (typeof value !== "object" || value === null) return undefined;
  const { step, head, dirty }: { step?: unknown; head?: unknown; dirty?: unknown } = value;
  if (step !== stepName || typeof head !== "string") return undefined;
  const paths = Array.isArray(dirty) ? dirty.filter((path) => typeof path === "string") : undefined;
  return { step, head, dirty: paths };
}
