import { dirname } from "node:path";
import type { AgentFailure, AgentInvoker, AgentRequest } from "./agent.ts";
import type { AgentAdapter } from "./adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  failureOfExit,
  failureOfProcess,
  isKilled,
  NOTHING_SPENT,
  outputLimitOf,
  OWN_PROMPT_TOKENS,
  programOf,
  wholePrompt,
} from "./agent-process.ts";
import type { ChildOutcome } from "./child.ts";
import { failure, NO_SESSION } from "./failure.ts";
import { inTree } from "./in-tree.ts";
import { turnLimits } from "./limits.ts";
import { lineByLine } from "./line-splitter.ts";
import { type OpencodeArgsOptions, opencodeArgs } from "./opencode/args.ts";
import { firstPromptIn, tokensOfSession } from "./opencode/before.ts";
import { createOpencodeMeter, type OpencodeMeterOptions } from "./opencode/meter.ts";
import { opencodeModel, opencodePrice } from "./opencode/models.ts";
import { failureOfError, kindOfStderr } from "./opencode/outcome.ts";
import { createOpencodeReader, type OpencodeReading } from "./opencode/reader.ts";
import { failureOfOpencodeSession } from "./opencode/session.ts";
import {
  type OpencodeSettingsOptions,
  RUN_BY_OPENCODE,
  settingsEnvironment,
} from "./opencode/settings.ts";
import { allowedCommands, type AllowedCommand, commandsNote, scriptsOf } from "./permissions.ts";
import { PRESETS } from "./presets.ts";
import { boundAt, MAX_OUTPUT_TOKENS } from "./prices.ts";
import { createProcessAgent } from "./process-agent.ts";
import { failureOfRepository } from "./repository-programs.ts";
import { watcherFor } from "./watchers.ts";

export type OpencodeAgentOptions = OpencodeArgsOptions &
  OpencodeSettingsOptions &
  AgentProcessOptions & {
    /** The program. @default "opencode", looked up on the PATH */
    readonly file?: string | undefined;
  };

const PRESET = PRESETS.opencode;
const TITLE = PRESET.title;
const OUTPUT_LIMIT = "OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX";

/** Where the user says nothing else: nothing is fetched but what a model answers. */
const DEFAULT_ENV = {
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  [OUTPUT_LIMIT]: String(MAX_OUTPUT_TOKENS),
};

function failureOfTurn(
  { sessionId, error, ending, text, acted }: OpencodeReading,
  request: AgentRequest,
  outcome: ChildOutcome,
): AgentFailure | undefined {
  // Of a session that has begun, standard error may say anything.
  const kind = sessionId === undefined ? kindOfStderr(outcome.stderrTail) : undefined;
  const said = error && failureOfError(error.error, error.at);
  const problem =
    said ??
    (kind && failure(kind, `${TITLE}: ${outcome.stderrTail}`)) ??
    failureOfExit(outcome, TITLE);
  if (problem) return problem;
  if (ending === "" || ending === "tool-calls") {
    return failure("bad-output", `${TITLE} ended without saying that its turn is complete.`);
  }
  if (ending === "content-filter") {
    return failure("refusal", `${TITLE}: ${text || "the model refused to answer"}`);
  }
  if (text.trim() === "" && (request.role === "reviewer" || !acted)) {
    return failure("empty-answer", `${TITLE} ended without an answer.`);
  }
  return undefined;
}

/**
 * OpenCode as an agent. A turn is a session of its own, or continues in one, with an agent of OpenCode's that our
 * settings define: a coder edits and runs the commands that a person named, a reviewer only reads.
 *
 * @see SPEC.md, "OpenCode"
 */
export function createOpencodeAgent(options: OpencodeAgentOptions = {}): AgentInvoker {
  return createProcessAgent(opencodeAdapter(options), options);
}

/** How OpenCode is started and understood. */
export function opencodeAdapter(options: OpencodeAgentOptions): AgentAdapter {
  const { prices } = options;
  const env = { ...(options.env ?? process.env), ...options.setEnv };
  const model = opencodeModel(options.model, env);
  const maxOutput = outputLimitOf(OUTPUT_LIMIT, options);

  const inputFor = (request: AgentRequest, commands: readonly AllowedCommand[]): string =>
    wholePrompt(request, commandsNote(request, commands, options.allowedTools));
  const programFor = (
    request: AgentRequest,
    commands: readonly AllowedCommand[] = [],
  ): AgentProgram => ({
    ...programOf(PRESET, options),
    args: opencodeArgs(request, options),
    ownEnv: [...PRESET.ownEnv, ...providerVariables(model)],
    input: inputFor(request, commands),
    defaultEnv: DEFAULT_ENV,
    setEnv: settingsEnvironment(request, options, {
      commands,
      content: env["OPENCODE_CONFIG_CONTENT"],
    }),
  });
  const meterOf = (firstPrompt: number): OpencodeMeterOptions => ({
    ...{ model, prices, maxOutput, firstPrompt },
  });
  const firstPromptOf = (request: AgentRequest): number =>
    OWN_PROMPT_TOKENS + Buffer.byteLength(inputFor(request, [])) + tokensOfSession(request);
  const runsFrom = options.projectSettings === true ? [] : RUN_BY_OPENCODE;
  return {
    name: PRESET.name,
    output: "opencode",
    title: TITLE,
    capabilities: PRESET.capabilities,
    responseBoundUsd(request) {
      const price = opencodePrice(model, prices);
      return price && boundAt(price, { promptTokens: firstPromptOf(request), maxOutput });
    },
    prepare(request, fileOf) {
      const refusal =
        failureOfOpencodeSession(request) ?? failureOfRepository(TITLE, request.workTree, runsFrom);
      if (refusal) return refusal;
      const commands = allowedCommands(request.commands ?? [], dirname(fileOf("")));
      const firstPrompt = firstPromptOf(request);
      return {
        program: programFor(request, commands),
        files: scriptsOf(commands),
        context: { firstPrompt },
        watcher: watcherFor({
          kind: "opencode",
          meter: meterOf(firstPrompt),
          limits: turnLimits(request, options),
        }),
      };
    },
    open(request, context, emit) {
      const meter = createOpencodeMeter(meterOf(firstPromptIn(context)));
      const { reading, read } = createOpencodeReader(
        inTree(emit, request.workTree),
        meter,
        turnLimits(request, options),
      );
      return {
        // A second reader of the output stops nothing.
        read: lineByLine(read),
        known: () => ({ ...meter.cost(true), sessionId: reading.sessionId }),
        result(outcome) {
          const { sessionId, denials, text } = reading;
          const problem =
            failureOfProcess(outcome, programFor(request), options, meter.use().requests) ??
            failureOfTurn(reading, request, outcome);
          const wasCut = isKilled(outcome);
          const began =
            outcome.started &&
            !(problem && NO_SESSION.has(problem.kind)) &&
            (reading.hasSpoken || wasCut);
          return {
            ...(problem && { failure: problem }),
            text,
            ...(sessionId && { sessionId }),
            ...(denials.length > 0 && { denials }),
            ...(began ? meter.cost(wasCut) : NOTHING_SPENT),
            durationMs: outcome.durationMs,
          };
        },
      };
    },
  };
}

/** Those in which a provider's key is: `ANTHROPIC_*` of `anthropic/claude-opus-5-5`. */
function providerVariables(model: string | undefined): readonly string[] {
  const [provider = ""] = model?.split("/") ?? [];
  return /^[a-z][a-z0-9-]*$/.test(provider)
    ? [`${provider.toUpperCase().replaceAll("-", "_")}_*`]
    : [];
}
