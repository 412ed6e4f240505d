import type { AgentFailure, AgentInvoker, AgentRequest } from "@quasar/loop";
import * as v from "valibot";
import type { AgentAdapter } from "./adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfExit,
  failureOfProcess,
  NOTHING_SPENT,
} from "./agent-process.ts";
import type { ChildOutcome } from "./child.ts";
import { codexArgs, type CodexArgsOptions } from "./codex/args.ts";
import { codexTokensBefore } from "./codex/cost.ts";
import { codexHomeOf } from "./codex/ledger.ts";
import { createCodexMeter } from "./codex/meter.ts";
import { failureOfWords, wordsOfStderr } from "./codex/outcome.ts";
import { type CodexReading, createCodexReader } from "./codex/reader.ts";
import { failure, NO_SESSION } from "./failure.ts";
import { createProcessAgent } from "./process-agent.ts";
import { failureOfSessionId } from "./session-id.ts";

export type CodexAgentOptions = CodexArgsOptions &
  AgentProcessOptions & {
    /** The program. @default "codex", looked up on the PATH */
    readonly file?: string | undefined;
  };

/** Codex hands the schema to the model and does not check what comes back. */
function structuredOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
}

function failureOfTurn(
  reading: CodexReading,
  request: AgentRequest,
  outcome: ChildOutcome,
): AgentFailure | undefined {
  const { completed, error, text, acted, threadId } = reading;
  if (!completed) {
    const said = error ?? wordsOfStderr(outcome.stderrTail);
    // "Try again at 3:00 AM" is said of the day on which the turn ended, whenever it is read.
    const now = outcome.endedAt === undefined ? new Date() : new Date(outcome.endedAt);
    const meant = failureOfWords(said, now);
    // The same words mean nothing once the thread is there.
    const isOld = meant && threadId !== undefined && NO_SESSION.has(meant.kind);
    return (
      (isOld ? undefined : meant) ??
      (error === undefined ? undefined : failure("unknown", `Codex: ${error}`)) ??
      failureOfExit(outcome, "Codex") ??
      failure("bad-output", "Codex ended without saying that its turn is complete.")
    );
  }
  if (text.trim() === "" && (request.role === "reviewer" || !acted)) {
    return failure("empty-answer", "Codex ended without an answer.");
  }
  if (request.outputSchema && structuredOf(text) === undefined) {
    return failure("schema", "Codex did not answer in the form that was asked for.");
  }
  return failureOfExit(outcome, "Codex");
}

/**
 * Codex as an agent. A turn is a thread of its own, or goes on in one, in a sandbox: a coder writes in
 * the work tree but not in `.git`, a reviewer writes nowhere.
 *
 * @see SPEC.md, "Codex"
 */
export function createCodexAgent(options: CodexAgentOptions = {}): AgentInvoker {
  return createProcessAgent(codexAdapter(options), options);
}

/** What the thread had used before the turn, as it is kept with the turn. */
const Context = v.object({
  before: v.optional(
    v.object({
      input: v.number(),
      output: v.number(),
      cacheRead: v.number(),
      cacheWrite: v.number(),
    }),
  ),
});

function codexAdapter(options: CodexAgentOptions): AgentAdapter {
  const home = codexHomeOf({ ...(options.env ?? process.env), ...options.setEnv });
  const programFor = (request: AgentRequest, schemaFile?: string): AgentProgram => ({
    title: "Codex",
    file: options.file ?? "codex",
    args: codexArgs(request, options, schemaFile),
    ownEnv: ["OPENAI_*", "CODEX_*"],
    input: `${request.systemPrompt}\n\n---\n\n${request.prompt}`,
    installHint: "Install it with: npm install -g @openai/codex",
  });
  return {
    name: "codex",
    capabilities: {
      structuredOutput: true,
      choosesSessionId: false,
      reportsCost: true,
      streamsUsage: true,
      resumesSession: true,
    },
    prepare(request, fileOf) {
      const refusal = failureOfSessionId(request);
      if (refusal) return refusal;
      const { maxCostUsd, outputSchema } = request;
      const before = codexTokensBefore(home, request);
      const meter = { home, before, model: options.model };
      // Codex takes a schema from a file only.
      const schemaFile = outputSchema && fileOf("schema");
      return {
        program: programFor(request, schemaFile),
        files: schemaFile === undefined ? {} : { [schemaFile]: JSON.stringify(outputSchema) },
        context: { before },
        watcher: maxCostUsd === undefined ? undefined : { kind: "codex", maxCostUsd, meter },
      };
    },
    open(request, context, emit) {
      const parsed = v.safeParse(Context, context);
      const before = parsed.success ? parsed.output.before : undefined;
      const meter = createCodexMeter({ home, before, model: options.model });
      const { reading, read } = createCodexReader(emit, meter);
      const cost = (): Cost => {
        const thread = reading.threadId ?? (request.resumesSession ? request.sessionId : undefined);
        return meter.cost(thread, reading.tokens, reading.ended);
      };
      return {
        read,
        known: () => ({ ...cost(), sessionId: reading.sessionId }),
        result(outcome) {
          const program = programFor(request);
          const problem =
            failureOfProcess(outcome, program, options) ?? failureOfTurn(reading, request, outcome);
          const structured = request.outputSchema && structuredOf(reading.text);
          const began = outcome.started && !(problem && NO_SESSION.has(problem.kind));
          return {
            ...(problem && { failure: problem }),
            text: reading.text,
            ...(structured && { structured }),
            ...(reading.threadId && { sessionId: reading.sessionId }),
            ...(began ? cost() : NOTHING_SPENT),
            durationMs: outcome.durationMs,
          };
        },
      };
    },
  };
}
