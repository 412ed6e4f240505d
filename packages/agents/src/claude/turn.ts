import type { AgentDenial, AgentEvent, AgentRequest } from "../agent.ts";
import type { TurnReader } from "../adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfExit,
  failureOfProcess,
  isKilled,
  NOTHING_SPENT,
} from "../agent-process.ts";
import type { ChildOutcome } from "../child.ts";
import { kindOfProse } from "../classify.ts";
import { failure, NO_SESSION } from "../failure.ts";
import { inTree } from "../in-tree.ts";
import type { TurnLimits } from "../limits.ts";
import { lineByLine } from "../line-splitter.ts";
import { denialOf } from "../permissions.ts";
import { type ClaudeDialect, deniedTool } from "./dialect.ts";
import type { ClaudeMeterOptions } from "./meter.ts";
import { failureOfResult } from "./outcome.ts";
import { type ClaudeReading, createClaudeReader } from "./reader.ts";

export interface OpenTurnOptions {
  readonly dialect: ClaudeDialect;
  readonly program: () => AgentProgram;
  readonly process: AgentProcessOptions;
  readonly meter: ClaudeMeterOptions;
  readonly limits: TurnLimits;
  /** Whether a session is on record that the model has not answered in. */
  readonly isOnRecord: (sessionId: string) => boolean;
}

/** How the program came to its end, as far as it matters for what it has cost. */
interface ProgramEnd {
  /** It could not say all that it had asked for. */
  readonly wasKilled: boolean;
  /** It was told to stop, or killed while it was idle: what it has in the background was not. */
  readonly wasStopped: boolean;
}

function endOf({ isIdle }: ClaudeReading, outcome: ChildOutcome): ProgramEnd {
  const wasStopped = isKilled(outcome);
  return { wasKilled: !isIdle && wasStopped, wasStopped };
}

/** @see SPEC.md, "Cost of Claude Code" */
function costs(
  { result, reportedUsd, meter, hasSpoken }: ClaudeReading,
  { wasKilled, wasStopped }: ProgramEnd,
): Cost {
  if (!hasSpoken) return NOTHING_SPENT;
  const whole = meter.whole();
  const isReported = result !== undefined && reportedUsd !== undefined;
  const rest = isReported ? meter.unsettled(wasKilled || wasStopped) : whole;
  const costUsd = rest.seenUsd + (isReported ? reportedUsd : 0);
  const pendingUsd = wasKilled || wasStopped ? meter.pendingUsd(wasKilled) : 0;
  const unknownUsd = rest.unseenUsd + pendingUsd;
  if (!isReported && whole.unpricedTokens > 0 && whole.seenUsd === 0) {
    return { costSource: "unknown", unknownUsd };
  }
  if (wasKilled || unknownUsd > 0) return { costUsd, costSource: "partial", unknownUsd };
  return { costUsd, costSource: isReported ? "reported" : "computed" };
}

/** Each once, however often it was tried. */
function denialsOf({ result }: ClaudeReading, dialect: ClaudeDialect): readonly AgentDenial[] {
  const all = (result?.permission_denials ?? []).map((each) =>
    denialOf(...deniedTool(each, dialect)),
  );
  return [...new Map(all.map((denial) => [denial.what, denial])).values()];
}

/** The reader of a turn of a program that speaks Claude Code's `stream-json`. */
export function openTurn(
  request: AgentRequest,
  emit: (event: AgentEvent) => void,
  { dialect, program, process, meter, limits, isOnRecord }: OpenTurnOptions,
): TurnReader {
  const { title } = dialect;
  const { reading, read } = createClaudeReader(
    inTree(emit, request.workTree),
    meter,
    limits,
    dialect,
  );
  /**
   * Of a session that has only just begun nothing may be on record: the program would only say so,
   * which takes as long as its start. Where the model has said something it is asked in any case: what
   * we know of its files may be old.
   */
  const sessionId = (): string | undefined => {
    if (reading.answered || request.resumesSession) return reading.sessionId;
    const id = reading.sessionId ?? request.sessionId ?? "";
    return isOnRecord(id) ? id : "";
  };
  return {
    // A second reader of the output stops nothing.
    read: lineByLine(read),
    known() {
      const end = { wasKilled: !reading.isIdle, wasStopped: true };
      return { ...costs(reading, end), sessionId: sessionId() };
    },
    result(outcome) {
      const { result, version } = reading;
      const denials = denialsOf(reading, dialect);
      // Of a session that has begun, standard error may say anything.
      const kind =
        result || reading.sessionId ? undefined : kindOfProse(dialect.stderr, outcome.stderrTail);
      const problem =
        failureOfProcess(outcome, program(), process, reading.meter.use().requests) ??
        (result && failureOfResult(result, request, reading, dialect)) ??
        (kind && failure(kind, `${title}: ${outcome.stderrTail}`)) ??
        failureOfExit(outcome, title) ??
        (result ? undefined : failure("bad-output", `${title} ended without a result.`));
      const began = outcome.started && !(problem && NO_SESSION.has(problem.kind));
      return {
        ...(problem && { failure: problem }),
        text: result && !result.is_error ? result.result : "",
        ...(result?.structured_output !== undefined && { structured: result.structured_output }),
        ...(reading.sessionId && { sessionId: reading.sessionId }),
        ...(version && { agentVersion: version }),
        ...(denials.length > 0 && { denials }),
        ...(began ? costs(reading, endOf(reading, outcome)) : NOTHING_SPENT),
        durationMs: outcome.durationMs,
      };
    },
  };
}
