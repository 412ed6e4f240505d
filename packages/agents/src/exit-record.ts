import { constants } from "node:os";
import * as v from "valibot";
import type { ChildOutcome } from "./child.ts";
import type { TurnName } from "./supervisor-errors.ts";
import { beginningOf, readJsonFile, turnFiles } from "./turn-files.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** How a turn's process ended, and how much of its output was kept. */
export interface ExitRecord extends ChildOutcome {
  /** Length of the turn's output; records of before do not say it. */
  readonly outBytes?: number | undefined;
  /** How many bytes of it are not kept. @default 0 */
  readonly omittedBytes?: number | undefined;
  /** What the agent had written was on disk before this was; records of before do not say it. */
  readonly workIsSynced?: boolean | undefined;
}

const ExitRecord: v.GenericSchema<unknown, ExitRecord> = v.object({
  v: v.literal(1),
  started: v.boolean(),
  problem: v.optional(
    v.object({
      kind: v.picklist(["no-work-dir", "no-program", "arguments-too-long", "other"]),
      message: v.string(),
    }),
  ),
  stopped: v.optional(
    v.picklist([
      "cancelled",
      "timeout-idle",
      "timeout-total",
      "output-too-large",
      "budget",
      "requests",
    ]),
  ),
  exitCode: v.nullable(v.pipe(v.number(), v.integer())),
  exitSignal: v.nullable(
    v.custom<NodeJS.Signals>(
      (name) => typeof name === "string" && Object.hasOwn(constants.signals, name),
    ),
  ),
  stderrTail: v.string(),
  durationMs: count,
  endedAt: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => Number.isFinite(Date.parse(text))),
    ),
  ),
  orphansEnded: count,
  cutLines: v.optional(count),
  outBytes: v.optional(count),
  omittedBytes: v.optional(count),
  workIsSynced: v.optional(v.boolean()),
});

/** How a turn's process ended, as its supervisor has written it down; `undefined`: not (yet). */
export function readExitRecord(path: string): ExitRecord | undefined {
  const parsed = v.safeParse(ExitRecord, readJsonFile(path));
  return parsed.success ? parsed.output : undefined;
}

/**
 * The name of the agent that began a turn; `undefined`: nobody noted it.
 *
 * @throws {AgentsError} `ERR_INVALID_RUN_ID` for a turn's id that is not `<run id>.<n>`.
 */
export function agentOfTurn({ turnsDir = "", ...turn }: TurnName): string | undefined {
  const { agent } = beginningOf(turnFiles(turnsDir, turn));
  return typeof agent === "string" ? agent : undefined;
}

/**
 * When the process of a turn had ended, with all that it had started; `undefined`: it has not, or nobody noted
 * it.
 *
 * @throws {AgentsError} `ERR_INVALID_RUN_ID` for a turn's id that is not `<run id>.<n>`.
 */
export function turnEndedAt({ turnsDir = "", ...turn }: TurnName): Date | undefined {
  const endedAt = readExitRecord(turnFiles(turnsDir, turn).path("exit"))?.endedAt;
  return endedAt === undefined ? undefined : new Date(endedAt);
}
