import type { AgentFailure, AgentRequest, AgentResult } from "./agent.ts";
import {
  type ChildOutcome,
  DEFAULT_LIMITS,
  type ProcessLimits,
  type StartProblem,
  type StopReason,
} from "./child.ts";
import { cleanLine } from "./clean.ts";
import type { EnvironmentOptions } from "./environment.ts";
import { failure } from "./failure.ts";
import { type AgentPreset, installCommand } from "./preset.ts";
import { MAX_OUTPUT_TOKENS, type ModelPrices } from "./prices.ts";

/** The options of every agent that is a program of its own. */
export interface AgentProcessOptions extends EnvironmentOptions {
  /** @default idle 10 min, total 60 min, grace 5 s, a line 8 MiB, all output 16 GiB */
  readonly limits?: Partial<ProcessLimits> | undefined;
  /** Prices of models, by name; they go before those of the list. @default none */
  readonly prices?: ModelPrices | undefined;
  /** Responses of the model that a turn may ask for. @default no limit */
  readonly maxRequests?: number | undefined;
}

/** Instructions and prompt as one text, for an agent that has no place of its own for the former. */
export const wholePrompt = (
  { systemPrompt, prompt }: Pick<AgentRequest, "systemPrompt" | "prompt">,
  note: string,
): string => `${systemPrompt}\n\n---\n\n${prompt}${note}`;

/** What an agent itself puts before a prompt, in tokens: about 50 KB of instructions and tools. */
export const OWN_PROMPT_TOKENS = 20_000;

/**
 * Tokens that one response may have: what the user has set for the agent goes before what its caller asks for.
 *
 * @param variable - By which the agent takes it.
 */
export function outputLimitOf(
  variable: string,
  { env = process.env, setEnv, maxOutputTokens }: OutputLimitOptions,
): number {
  const said = Number(setEnv?.[variable] ?? env[variable]);
  return said > 0 && Number.isSafeInteger(said) ? said : (maxOutputTokens ?? MAX_OUTPUT_TOKENS);
}

interface OutputLimitOptions extends Pick<EnvironmentOptions, "env" | "setEnv"> {
  /** @default 32,000 */
  readonly maxOutputTokens?: number | undefined;
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
  /** Variables that it gets where the environment has none. @default none */
  readonly defaultEnv?: Readonly<Record<string, string>> | undefined;
  /** Variables that it gets whatever the environment, or the caller, says. @default none */
  readonly setEnv?: Readonly<Record<string, string>> | undefined;
  /** What a person does about a missing program. */
  readonly installHint?: string | undefined;
}

/** What is known of an agent's program before a turn. @param options - With another program, for tests perhaps. */
export function programOf(
  preset: Pick<AgentPreset, "title" | "program" | "ownEnv" | "npmPackage">,
  { file = preset.program }: { readonly file?: string | undefined },
): Pick<AgentProgram, "title" | "file" | "ownEnv" | "installHint"> {
  const { title, ownEnv } = preset;
  return { title, file, ownEnv, installHint: `Install it with: ${installCommand(preset)}` };
}

interface Circumstances {
  readonly requests: number;
  readonly program: AgentProgram;
  readonly limits: ProcessLimits;
  readonly message: string;
}

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

const PROBLEMS: Readonly<Record<StartProblem, (of: Circumstances) => AgentFailure>> = {
  "no-work-dir": ({ message }) => failure("usage", `The work tree is missing: ${message}.`),
  "no-program": ({ program: { title, file, installHint = "Check the configuration." } }) =>
    failure("not-installed", `${title} was not found as "${file}". ${installHint}`),
  "arguments-too-long": ({ program: { title } }) =>
    failure("prompt-too-large", `The instructions are too long to start ${title} with.`),
  other: ({ program: { title }, message }) =>
    failure("unknown", `${title} could not be started: ${message}`),
};

const STOPS: Readonly<Record<StopReason, (of: Circumstances) => AgentFailure>> = {
  cancelled: ({ program: { title } }) => failure("cancelled", `${title} was cancelled.`),
  "timeout-idle": ({ program: { title }, limits }) =>
    failure("timeout-idle", `${title} was silent for ${seconds(limits.idleTimeoutMs)}.`),
  "timeout-total": ({ program: { title }, limits }) =>
    failure("timeout-total", `${title} took over ${seconds(limits.totalTimeoutMs)}.`),
  "output-too-large": ({ program: { title } }) =>
    failure("output-too-large", `${title} printed more than is taken of one turn.`),
  budget: ({ program: { title } }) => failure("budget", `${title} spent what its turn may spend.`),
  requests: ({ program: { title }, requests }) => ({
    ...failure("turn-limit", `${title} made ${requests} requests, more than one turn may make.`),
    requests,
  }),
};

/**
 * The failure that a process's end means by itself: why it never started, or why we ended it.
 * It goes before anything that the agent says of itself.
 *
 * @param requests - How many the turn made.
 */
export function failureOfProcess(
  { problem, stopped }: ChildOutcome,
  program: AgentProgram,
  { limits: set }: AgentProcessOptions,
  requests: number = 0,
): AgentFailure | undefined {
  const limits = { ...DEFAULT_LIMITS, ...set };
  const of = { program, limits, requests, message: problem?.message ?? "" };
  if (problem) {
    return PROBLEMS[problem.kind](of);
  }
  return stopped && STOPS[stopped](of);
}

/** Whether a process was ended from outside, by whomever. */
export const isKilled = ({ exitCode, exitSignal, stopped }: ChildOutcome): boolean =>
  stopped !== undefined || exitSignal !== null || exitCode === null || exitCode > 128;

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

export type Cost = Pick<AgentResult, "costUsd" | "costSource" | "unknownUsd">;

/** What a turn cost of which no process was started. */
export const NOTHING_SPENT: Cost = { costUsd: 0, costSource: "computed" };
