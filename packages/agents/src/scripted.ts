import type { AgentInvoker, AgentRequest } from "./agent.ts";
import type { AgentAdapter } from "./adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfExit,
  failureOfProcess,
  NOTHING_SPENT,
} from "./agent-process.ts";
import { type AgentScript, checkScript } from "./agent-script.ts";
import { failure } from "./failure.ts";
import { lineByLine } from "./line-splitter.ts";
import { createProcessAgent } from "./process-agent.ts";
import { SCRIPTED_CHILD_ARGS } from "./scripted-child.ts";
import { createScriptedReader, type ScriptedReading } from "./scripted-reader.ts";
import { scriptedTask } from "./scripted-task.ts";
import { watcherFor } from "./watchers.ts";

export type ScriptedAgentOptions = AgentScript & AgentProcessOptions;

/**
 * An agent that follows a script, for demos and tests: a real process that can be killed, outlives
 * its runner and carries the run's id, without a model or a network.
 *
 * @throws {AgentsError} `ERR_INVALID_SCRIPT`
 */
export function createScriptedAgent(options: ScriptedAgentOptions): AgentInvoker {
  const script = checkScript({
    turns: options.turns,
    model: options.model,
    sessions: options.sessions,
    responseUsd: options.responseUsd,
  });
  return createProcessAgent(scriptedAdapter(script, options), options);
}

function scriptedAdapter(script: AgentScript, options: AgentProcessOptions): AgentAdapter {
  const programFor = (request: AgentRequest): AgentProgram => ({
    title: "The scripted agent",
    file: process.execPath,
    args: SCRIPTED_CHILD_ARGS,
    ownEnv: [],
    input: JSON.stringify(scriptedTask(script, request)),
  });
  return {
    name: "scripted",
    output: "scripted",
    capabilities: {
      structuredOutput: false,
      choosesSessionId: script.sessions !== undefined,
      reportsCost: true,
      streamsUsage: true,
      resumesSession: script.sessions !== undefined,
    },
    responseBoundUsd: () => script.responseUsd,
    prepare: (request) => ({
      program: programFor(request),
      watcher: watcherFor({ kind: "scripted", limits: { maxCostUsd: request.maxCostUsd } }),
    }),
    open(request, _context, emit) {
      const { reading, read } = createScriptedReader(emit);
      const costs = ({ result, spentUsd }: ScriptedReading): Cost =>
        result && !result.partial
          ? { costUsd: result.costUsd, costSource: "reported" }
          : {
              costUsd: result?.costUsd ?? spentUsd,
              costSource: "partial",
              unknownUsd: script.responseUsd,
            };
      return {
        read: lineByLine(read),
        known: () => ({ ...costs(reading), sessionId: reading.sessionId }),
        result(outcome) {
          const program = programFor(request);
          const said = reading.result?.failure;
          const problem =
            failureOfProcess(outcome, program, options) ??
            (said &&
              failure(
                said.kind,
                said.message,
                said.retryAt ? new Date(said.retryAt) : undefined,
              )) ??
            failureOfExit(outcome, program.title) ??
            (reading.result
              ? undefined
              : failure("bad-output", `${program.title} ended without a result.`));
          return {
            ...(problem && { failure: problem }),
            text: reading.result?.text ?? "",
            ...(reading.sessionId && { sessionId: reading.sessionId }),
            ...(outcome.started ? costs(reading) : NOTHING_SPENT),
            durationMs: outcome.durationMs,
          };
        },
      };
    },
  };
}
