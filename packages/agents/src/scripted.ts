import type { AgentInvoker, AgentResult } from "@quasar/loop";
import * as v from "valibot";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfExit,
  failureOfProcess,
  NOTHING_SPENT,
  runAgent,
} from "./agent-process.ts";
import { type AgentScript, checkScript, ScriptedFailure } from "./agent-script.ts";
import { failure } from "./failure.ts";
import { parseLine } from "./json-line.ts";
import { SCRIPTED_CHILD_ARGS } from "./scripted-child.ts";
import { scriptedTask } from "./scripted-task.ts";

export type ScriptedAgentOptions = AgentScript & AgentProcessOptions;

const Line = v.variant("type", [
  v.object({ type: v.literal("session"), sessionId: v.string() }),
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.literal("tool"), name: v.string(), detail: v.string() }),
  v.object({ type: v.literal("usage"), costUsd: v.number() }),
  v.object({
    type: v.literal("result"),
    text: v.string(),
    costUsd: v.number(),
    failure: v.optional(ScriptedFailure),
    /** Whether more may have been billed. */
    partial: v.optional(v.boolean(), false),
  }),
]);

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
  });
  return {
    name: "scripted",
    capabilities: {
      structuredOutput: false,
      choosesSessionId: script.sessions !== undefined,
      reportsCost: true,
      streamsUsage: true,
      resumesSession: script.sessions !== undefined,
    },
    async invoke(request, invoke = {}): Promise<AgentResult> {
      const program: AgentProgram = {
        title: "The scripted agent",
        file: process.execPath,
        args: SCRIPTED_CHILD_ARGS,
        ownEnv: [],
        input: JSON.stringify(scriptedTask(script, request)),
      };
      let spentUsd = 0;
      let sessionId: string | undefined;
      let result: (v.InferOutput<typeof Line> & { type: "result" }) | undefined;
      const outcome = await runAgent(program, request, options, invoke, (text) => {
        const line = parseLine(Line, text);
        if (line?.type === "result") {
          result = line;
        } else if (line) {
          spentUsd = line.type === "usage" ? line.costUsd : spentUsd;
          sessionId = line.type === "session" ? line.sessionId : sessionId;
          invoke.onEvent?.(line);
        }
        return spentUsd > (request.maxCostUsd ?? Number.POSITIVE_INFINITY) ? "budget" : undefined;
      });
      const said = result?.failure;
      const problem =
        failureOfProcess(outcome, program, options) ??
        (said &&
          failure(said.kind, said.message, said.retryAt ? new Date(said.retryAt) : undefined)) ??
        failureOfExit(outcome, program.title) ??
        (result ? undefined : failure("bad-output", `${program.title} ended without a result.`));
      const cost: Cost = result
        ? { costUsd: result.costUsd, costSource: result.partial ? "partial" : "reported" }
        : { costUsd: spentUsd, costSource: "partial" };
      return {
        ...(problem && { failure: problem }),
        text: result?.text ?? "",
        ...(sessionId && { sessionId }),
        ...(outcome.started ? cost : NOTHING_SPENT),
        durationMs: outcome.durationMs,
      };
    },
  };
}
