import { McpError } from "../errors.ts";

/** What one caller may start. */
export interface StartLimits {
  /** US dollars of one run. */
  readonly capUsd: number;
  /** Runs that it has started and that are at work, at once. */
  readonly mostAtOnce: number;
  readonly mostPerHour: number;
}

export const START_LIMITS: StartLimits = { capUsd: 5, mostAtOnce: 2, mostPerHour: 6 };

/** What a caller has started so far. */
export interface Started {
  /** Of each run, in milliseconds since the epoch. */
  readonly at: readonly number[];
  readonly atWork: number;
}

const HOUR_MS = 3_600_000;

/** @throws {McpError} `ERR_NOT_ALLOWED` where a caller may not start another one now */
export function refuseBeyond(
  { mostAtOnce, mostPerHour }: Pick<StartLimits, "mostAtOnce" | "mostPerHour">,
  { at, atWork }: Started,
  now: number,
): void {
  if (atWork >= mostAtOnce) {
    throw refused(
      `${atWork} runs of this caller are at work, and ${mostAtOnce} may be: wait for one to end`,
    );
  }
  const recent = at.filter((each) => now - each < HOUR_MS);
  if (recent.length < mostPerHour) return;
  const minutes = Math.ceil((Math.min(...recent) + HOUR_MS - now) / 60_000);
  throw refused(
    `${recent.length} runs were started within an hour, and ${mostPerHour} may be: wait ${minutes} min`,
  );
}

/** @throws {McpError} `ERR_NOT_ALLOWED` where a run would have more than the server's cap */
export function refuseBudget(budgetUsd: number, { capUsd }: Pick<StartLimits, "capUsd">): void {
  if (budgetUsd <= capUsd) return;
  throw refused(`budget_usd is ${budgetUsd}, and this server allows up to ${capUsd} for a run`);
}

function refused(message: string): McpError {
  return new McpError("ERR_NOT_ALLOWED", message);
}
