import { isAbsolute, normalize } from "node:path";
import type { AgentFailureKind, AgentInvoker, AgentRequest, AgentResult } from "@quasar/loop";
import * as v from "valibot";
import {
  type AgentProcessOptions,
  type AgentProgram,
  failureOfExit,
  failureOfProcess,
  runAgent,
} from "./agent-process.ts";
import { AgentsError } from "./errors.ts";
import { FAILURE_KINDS, failure } from "./failure.ts";
import { parseLine } from "./json-line.ts";
import { SCRIPTED_CHILD_ARGS } from "./scripted-child.ts";

/**
 * What a scripted agent does in a turn: says, waits, writes files, answers. The first turn of the
 * script answers that fits the request, so what it does depends on nothing but the request: a turn
 * that is started again does the same again.
 */
export interface ScriptedTurn {
  readonly role: "coder" | "reviewer";
  /** A regular expression (flag `s`) that the prompt has to match. @default any prompt */
  readonly match?: string | undefined;
  /** Said one after the other while it works. @default nothing */
  readonly says?: readonly string[] | undefined;
  /** Files to write, by path in the work tree, at the turn's end. @default none */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** The final answer. @default "" */
  readonly text?: string | undefined;
  /** US dollars, reported in parts while it works. @default 0 */
  readonly costUsd?: number | undefined;
  /** How long the turn takes, in milliseconds. @default 0 */
  readonly delayMs?: number | undefined;
  /** Ends the turn with this failure. @default none */
  readonly failure?:
    | { readonly kind: AgentFailureKind; readonly message: string; readonly retryAt?: string }
    | undefined;
  /** Other than 0: ends without a result. @default 0 */
  readonly exitCode?: number | undefined;
}

export interface AgentScript {
  readonly turns: readonly ScriptedTurn[];
}

export type ScriptedAgentOptions = AgentScript & AgentProcessOptions;

const DAY_MS = 86_400_000;

const isInside = (path: string) =>
  path !== "" && !isAbsolute(path) && !path.includes("\0") && !normalize(path).startsWith("..");

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "s") instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return false;
    }
    throw error;
  }
}

const Failure = v.object({
  kind: v.picklist(FAILURE_KINDS),
  message: v.string(),
  retryAt: v.exactOptional(v.pipe(v.string(), v.isoTimestamp())),
});

const Script = v.object({
  turns: v.array(
    v.strictObject({
      role: v.picklist(["coder", "reviewer"]),
      match: v.optional(v.pipe(v.string(), v.check(isPattern, "is no regular expression"))),
      says: v.optional(v.array(v.string())),
      files: v.optional(
        v.record(v.pipe(v.string(), v.check(isInside, "is not in the work tree")), v.string()),
      ),
      text: v.optional(v.string()),
      costUsd: v.optional(v.pipe(v.number(), v.finite(), v.minValue(0))),
      delayMs: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(DAY_MS))),
      failure: v.optional(Failure),
      exitCode: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))),
    }),
  ),
});

const Line = v.variant("type", [
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.literal("tool"), name: v.string(), detail: v.string() }),
  v.object({ type: v.literal("usage"), costUsd: v.number() }),
  v.object({
    type: v.literal("result"),
    text: v.string(),
    costUsd: v.number(),
    failure: v.optional(Failure),
  }),
]);

function checkScript(value: unknown): AgentScript {
  const parsed = v.safeParse(Script, value);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const where = v.getDotPath(issue) ?? "the script";
    throw new AgentsError("ERR_INVALID_SCRIPT", `${where}: ${issue.message}`);
  }
  return parsed.output;
}

/**
 * Reads a script: a JSON object with `turns`.
 *
 * @throws {AgentsError} `ERR_INVALID_SCRIPT` naming the first thing that is wrong.
 */
export function parseAgentScript(text: string): AgentScript {
  try {
    return checkScript(JSON.parse(text));
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      throw new AgentsError("ERR_INVALID_SCRIPT", `it is not JSON: ${cause.message}`, { cause });
    }
    throw cause;
  }
}

function turnFor(script: AgentScript, { role, prompt }: AgentRequest): ScriptedTurn {
  const fits = (turn: ScriptedTurn) =>
    turn.role === role && new RegExp(turn.match ?? "", "s").test(prompt);
  const message = `The script has no turn for this prompt of the ${role}.`;
  return script.turns.find(fits) ?? { role, failure: { kind: "usage", message } };
}

/**
 * An agent that follows a script, for demos and tests: a real process that can be killed, outlives
 * its runner and carries the run's id, without a model or a network.
 *
 * @throws {AgentsError} `ERR_INVALID_SCRIPT`
 */
export function createScriptedAgent(options: ScriptedAgentOptions): AgentInvoker {
  const script = checkScript({ turns: options.turns });
  return {
    name: "scripted",
    capabilities: {
      structuredOutput: false,
      choosesSessionId: false,
      reportsCost: true,
      streamsUsage: true,
    },
    async invoke(request, invoke = {}): Promise<AgentResult> {
      const program: AgentProgram = {
        title: "The scripted agent",
        file: process.execPath,
        args: SCRIPTED_CHILD_ARGS,
        ownEnv: [],
        input: JSON.stringify({ turn: turnFor(script, request), workDir: request.workDir }),
      };
      let spentUsd = 0;
      let result: (v.InferOutput<typeof Line> & { type: "result" }) | undefined;
      const outcome = await runAgent(program, request, options, invoke, (text) => {
        const line = parseLine(Line, text);
        if (line?.type === "result") {
          result = line;
        } else if (line) {
          spentUsd = line.type === "usage" ? line.costUsd : spentUsd;
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
      return {
        ...(problem && { failure: problem }),
        text: result?.text ?? "",
        costUsd: result?.costUsd ?? spentUsd,
        costSource: result ? "reported" : "partial",
        durationMs: outcome.durationMs,
      };
    },
  };
}
