import type { AgentFailure, AgentRequest, InvokeOptions } from "@quasar/loop";
import {
  type ChildOutcome,
  DEFAULT_LIMITS,
  type ProcessLimits,
  type StopReason,
  runChild,
} from "./child.ts";
import { cleanLine } from "./clean.ts";
import { type EnvironmentOptions, agentEnvironment } from "./environment.ts";
import { failure } from "./failure.ts";

/** What every agent that is a program of its own can be told. */
export interface AgentProcessOptions extends EnvironmentOptions {
  /** @default idle 10 min, total 60 min, grace 5 s, a line 16 MiB, all output 512 MiB */
  readonly limits?: Partial<ProcessLimits> | undefined;
}

/** What to start for a turn, and whose variables it needs. */
export interface AgentProgram {
  /** For messages: `Claude Code`. */
  readonly title: string;
  readonly file: string;
  readonly args: readonly string[];
  /** The program's own variables, such as `ANTHROPIC_*`. */
  readonly ownEnv: readonly string[];
  readonly input: string;
  /** What a person does about a missing program. */
  readonly installHint?: string | undefined;
}

/** Starts an agent for a request, with the environment and the limits that go with it. */
export function runAgent(
  program: AgentProgram,
  request: AgentRequest,
  options: AgentProcessOptions,
  invoke: InvokeOptions,
  onLine: (line: string) => StopReason | undefined,
): Promise<ChildOutcome> {
  return runChild(
    {
      runId: request.runId,
      file: program.file,
      args: program.args,
      cwd: request.workDir,
      env: agentEnvironment(request, program.ownEnv, options),
      input: program.input,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
    },
    { onLine, signal: invoke.signal },
  );
}

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

/**
 * The failure that a process's end means by itself: why it never started, or why we ended it.
 * It goes before anything that the agent says of itself.
 */
export function failureOfProcess(
  outcome: ChildOutcome,
  program: AgentProgram,
  options: AgentProcessOptions,
): AgentFailure | undefined {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { title, file, installHint = "Check the configuration." } = program;
  switch (outcome.problem?.kind) {
    case "no-work-dir":
      return failure("usage", `The work tree is missing: ${outcome.problem.message}.`);
    case "no-program":
      return failure("not-installed", `${title} was not found as "${file}". ${installHint}`);
    case "arguments-too-long":
      return failure("prompt-too-large", `The instructions are too long to start ${title} with.`);
    case "other":
      return failure("unknown", `${title} could not be started: ${outcome.problem.message}`);
    case undefined:
  }
  switch (outcome.stopped) {
    case "cancelled":
      return failure("cancelled", `${title} was cancelled.`);
    case "timeout-idle":
      return failure("timeout-idle", `${title} was silent for ${seconds(limits.idleTimeoutMs)}.`);
    case "timeout-total":
      return failure("timeout-total", `${title} took over ${seconds(limits.totalTimeoutMs)}.`);
    case "output-too-large":
      return failure("output-too-large", `${title} printed more than is taken of one turn.`);
    case "budget":
      return failure("budget", `${title} reached the cost that its turn may have.`);
    case undefined:
      return undefined;
  }
}

/** The failure of a process that said nothing better about its end; `undefined` after exit code 0. */
export function failureOfExit(outcome: ChildOutcome, title: string): AgentFailure | undefined {
  const { exitCode, exitSignal } = outcome;
  const said = cleanLine(outcome.stderrTail.trim().split("\n").slice(-3).join(" "));
  const because = said === "" ? "" : `: ${said}`;
  if (exitSignal !== null || (exitCode !== null && exitCode > 128)) {
    return failure("killed", `${title} was killed (${exitSignal ?? exitCode})${because}`);
  }
  if (exitCode !== 0) {
    return failure("unknown", `${title} exited with ${exitCode}${because}`);
  }
  return undefined;
}
