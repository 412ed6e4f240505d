import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentFailure, AgentInvoker, AgentRequest, AgentResult } from "@quasar/loop";
import {
  type AgentProcessOptions,
  type AgentProgram,
  failureOfExit,
  failureOfProcess,
  NOTHING_SPENT,
  runAgent,
} from "./agent-process.ts";
import type { ChildOutcome } from "./child.ts";
import { codexArgs, type CodexArgsOptions } from "./codex/args.ts";
import { codexTokensBefore } from "./codex/cost.ts";
import { codexHomeOf } from "./codex/ledger.ts";
import { createCodexMeter } from "./codex/meter.ts";
import { failureOfWords, wordsOfStderr } from "./codex/outcome.ts";
import { type CodexReading, createCodexReader } from "./codex/reader.ts";
import { failure, NO_SESSION } from "./failure.ts";
import { failureOfSessionId } from "./session-id.ts";

export type CodexAgentOptions = CodexArgsOptions &
  AgentProcessOptions & {
    /** The program. @default "codex", looked up on the PATH */
    readonly file?: string | undefined;
  };

/** Codex takes a schema from a file only: one of ours, that is gone when the turn is over. */
async function withSchemaFile<T>(
  { outputSchema }: AgentRequest,
  work: (file: string | undefined) => Promise<T>,
): Promise<T> {
  if (outputSchema === undefined) {
    return work(undefined);
  }
  const dir = await mkdtemp(join(tmpdir(), "quasar-schema-"));
  try {
    const file = join(dir, "schema.json");
    await writeFile(file, JSON.stringify(outputSchema), { mode: 0o600 });
    return await work(file);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

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
  const { completed, error, text, acted } = reading;
  if (!completed) {
    const said = error ?? wordsOfStderr(outcome.stderrTail);
    return (
      failureOfWords(said, new Date()) ??
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
 * Codex as an agent. A turn is a thread of its own, or goes on in one, in a sandbox: a coder writes in the work tree
 * but not in `.git`, a reviewer writes nowhere.
 *
 * @see SPEC.md, "Codex"
 */
export function createCodexAgent(options: CodexAgentOptions = {}): AgentInvoker {
  return {
    name: "codex",
    capabilities: {
      structuredOutput: true,
      choosesSessionId: false,
      reportsCost: true,
      streamsUsage: true,
      resumesSession: true,
    },
    async invoke(request, invoke = {}): Promise<AgentResult> {
      const refusal = failureOfSessionId(request);
      if (refusal) {
        return { failure: refusal, text: "", ...NOTHING_SPENT, durationMs: 0 };
      }
      const home = codexHomeOf({ ...(options.env ?? process.env), ...options.setEnv });
      const before = codexTokensBefore(home, request);
      const meter = createCodexMeter({ home, before, model: options.model });
      return withSchemaFile(request, async (schemaFile) => {
        const program: AgentProgram = {
          title: "Codex",
          file: options.file ?? "codex",
          args: codexArgs(request, options, schemaFile),
          ownEnv: ["OPENAI_*", "CODEX_*"],
          input: `${request.systemPrompt}\n\n---\n\n${request.prompt}`,
          installHint: "Install it with: npm install -g @openai/codex",
        };
        const { reading, read } = createCodexReader(
          invoke.onEvent ?? (() => undefined),
          meter,
          request.maxCostUsd,
        );
        const outcome = await runAgent(program, request, options, invoke, read);
        const problem =
          failureOfProcess(outcome, program, options) ?? failureOfTurn(reading, request, outcome);
        const structured = request.outputSchema && structuredOf(reading.text);
        const thread = reading.threadId ?? (request.resumesSession ? request.sessionId : undefined);
        const cost = meter.cost(thread, reading.tokens, reading.ended);
        const began = outcome.started && !(problem && NO_SESSION.has(problem.kind));
        return {
          ...(problem && { failure: problem }),
          text: reading.text,
          ...(structured && { structured }),
          ...(reading.threadId && { sessionId: reading.threadId }),
          ...(began ? cost : NOTHING_SPENT),
          durationMs: outcome.durationMs,
        };
      });
    },
  };
}
