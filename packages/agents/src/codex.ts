import type { AgentFailure, AgentInvoker, AgentRequest } from "./agent.ts";
import * as v from "valibot";
import type { AgentAdapter } from "./adapter.ts";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfExit,
  failureOfProcess,
  NOTHING_SPENT,
  OWN_PROMPT_TOKENS,
  programOf,
  wholePrompt,
} from "./agent-process.ts";
import type { ChildOutcome } from "./child.ts";
import { codexArgs, type CodexArgsOptions } from "./codex/args.ts";
import { toolCaches } from "./codex/caches.ts";
import { codexRoom, codexTokensBefore } from "./codex/cost.ts";
import { codexHomeOf } from "./codex/home.ts";
import { type CodexResponse, readCodexLedger } from "./codex/ledger.ts";
import { createCodexMeter } from "./codex/meter.ts";
import { codexModel } from "./codex/models.ts";
import { failureOfWords, wordsOfStderr } from "./codex/outcome.ts";
import { type CodexReading, createCodexReader } from "./codex/reader.ts";
import { failure, NO_SESSION } from "./failure.ts";
import { isOfSystem } from "./patience.ts";
import { checksNote } from "./permissions.ts";
import { inTree } from "./in-tree.ts";
import { turnLimits } from "./limits.ts";
import { lineByLine } from "./line-splitter.ts";
import { PRESETS } from "./presets.ts";
import { boundAt, priceOf } from "./prices.ts";
import { createProcessAgent } from "./process-agent.ts";
import { failureOfSessionId } from "./session-id.ts";
import { watcherFor } from "./watchers.ts";

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
 * Codex as an agent. A turn is a thread of its own, or continues in one, in a sandbox: a coder writes in
 * the work tree but not in `.git`, a reviewer writes nowhere.
 *
 * @see SPEC.md, "Codex"
 */
export function createCodexAgent(options: CodexAgentOptions = {}): AgentInvoker {
  return createProcessAgent(codexAdapter(options), options);
}

const count = v.pipe(v.number(), v.minValue(0));

/** What is kept with a turn: what its thread had used before, and what it was sent at first. */
const Context = v.object({
  before: v.optional(
    v.object({
      input: count,
      output: count,
      cacheRead: count,
      cacheWrite: count,
      cacheWriteLong: v.optional(count, 0),
      webSearches: v.optional(count, 0),
    }),
  ),
  firstPrompt: v.optional(count, 0),
});

/** Of the thread that a turn is to continue; a record that cannot be read now is waited for when it begins. */
function lastResponse(
  home: string,
  { resumesSession = false, sessionId }: AgentRequest,
): CodexResponse | undefined {
  if (!resumesSession || sessionId === undefined) return undefined;
  try {
    return readCodexLedger(home, sessionId).responses.at(-1);
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    return undefined;
  }
}

/** How Codex is started and understood. */
export function codexAdapter(options: CodexAgentOptions): AgentAdapter {
  const home = codexHomeOf({ ...(options.env ?? process.env), ...options.setEnv });
  const programFor = (request: AgentRequest, schemaFile?: string): AgentProgram => ({
    ...programOf(PRESETS.codex, options),
    args: codexArgs(request, options, schemaFile),
    input: wholePrompt(request, checksNote(request.commands ?? [])),
  });
  const { sandbox = "workspace-write" } = options;
  const cachesFor = ({ access, workTree }: AgentRequest): Record<string, string> =>
    access === "write" && sandbox === "workspace-write" ? toolCaches(workTree) : {};
  const firstPromptOf = (request: AgentRequest): number =>
    OWN_PROMPT_TOKENS + Buffer.byteLength(programFor(request).input);
  const { prices } = options;
  return {
    name: PRESETS.codex.name,
    output: "codex",
    title: PRESETS.codex.title,
    capabilities: PRESETS.codex.capabilities,
    responseBoundUsd(request) {
      const model = codexModel(options.model, home);
      const price = priceOf(model, prices);
      if (price === undefined) return undefined;
      const asked = { last: lastResponse(home, request), hasAsked: false };
      return boundAt(price, codexRoom(asked, { firstPrompt: firstPromptOf(request) }));
    },
    prepare(request, fileOf) {
      const refusal = failureOfSessionId(request);
      if (refusal) return refusal;
      const { outputSchema } = request;
      const before = codexTokensBefore(home, request);
      const firstPrompt = firstPromptOf(request);
      const meter = { home, before, model: codexModel(options.model, home), prices, firstPrompt };
      // Codex takes a schema from a file only.
      const schemaFile = outputSchema && fileOf("schema");
      return {
        program: { ...programFor(request, schemaFile), defaultEnv: cachesFor(request) },
        files: schemaFile === undefined ? {} : { [schemaFile]: JSON.stringify(outputSchema) },
        context: { before, firstPrompt },
        watcher: watcherFor({ kind: "codex", meter, limits: turnLimits(request, options) }),
      };
    },
    open(request, context, emit) {
      const parsed = v.safeParse(Context, context);
      const { before, firstPrompt } = parsed.success
        ? parsed.output
        : { before: undefined, firstPrompt: 0 };
      const model = codexModel(options.model, home);
      const meter = createCodexMeter({ home, before, model, prices, firstPrompt });
      const { reading, read } = createCodexReader(
        inTree(emit, request.workTree),
        meter,
        turnLimits(request, options),
      );
      const threadId = (): string | undefined =>
        reading.threadId ?? (request.resumesSession ? request.sessionId : undefined);
      const requests = (): number => meter.use(threadId()).requests;
      const cost = (): Cost => {
        const isSilent = !reading.hasSpoken && requests() === 0;
        return isSilent ? NOTHING_SPENT : meter.cost(threadId(), reading);
      };
      return {
        // A second reader of the output stops nothing.
        read: lineByLine(read),
        known: () => ({ ...cost(), sessionId: reading.sessionId }),
        result(outcome) {
          const program = programFor(request);
          const problem =
            failureOfProcess(outcome, program, options, requests()) ??
            failureOfTurn(reading, request, outcome);
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
