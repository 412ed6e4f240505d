import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentFailure, AgentInvoker, AgentRequest, AgentResult } from "@quasar/loop";
import {
  type AgentProcessOptions,
  type AgentProgram,
  type Cost,
  failureOfExit,
  failureOfProcess,
  NOTHING_SPENT,
  runAgent,
} from "./agent-process.ts";
import type { ChildOutcome } from "./child.ts";
import { readCodexLedger } from "./codex/ledger.ts";
import { failureOfWords } from "./codex/outcome.ts";
import { type CodexReading, createCodexReader } from "./codex/reader.ts";
import { failure } from "./failure.ts";
import { costOf, type Tokens } from "./prices.ts";

export type CodexAgentOptions = AgentProcessOptions & {
  /** The program. @default "codex", looked up on the PATH */
  readonly file?: string | undefined;
  /** @default Codex's own choice */
  readonly model?: string | undefined;
};

/** The arguments of a turn. @see SPEC.md, "Codex" */
function codexArgs(
  { access }: AgentRequest,
  { model }: CodexAgentOptions,
  schemaFile: string | undefined,
): string[] {
  const sandbox = access === "read" ? "read-only" : "workspace-write";
  return [
    ...["exec", "--json", "--sandbox", sandbox, "--skip-git-repo-check"],
    ...(model === undefined ? [] : ["--model", model]),
    ...(schemaFile === undefined ? [] : ["--output-schema", schemaFile]),
    "-",
  ];
}

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
    const said = error ?? outcome.stderrTail;
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

const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

async function costs(
  { threadId, tokens, ended }: CodexReading,
  options: CodexAgentOptions,
): Promise<Cost> {
  const env = options.env ?? process.env;
  const home = env["CODEX_HOME"] ?? join(env["HOME"] ?? homedir(), ".codex");
  const ledger = threadId === undefined ? {} : await readCodexLedger(home, threadId);
  const model = ledger.model ?? options.model;
  // The record of a thread that came to no answer has no tokens in it: none were spent.
  const used = tokens ?? ledger.tokens ?? (ledger.model === undefined ? undefined : NO_TOKENS);
  const costUsd = model === undefined || used === undefined ? undefined : costOf(model, used);
  return costUsd === undefined
    ? { costSource: "unknown" }
    : { costUsd, costSource: ended ? "computed" : "partial" };
}

/**
 * Codex as an agent. A turn is a thread of its own, in a sandbox: a coder writes in the work tree
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
      streamsUsage: false,
      resumesSession: false,
    },
    invoke(request, invoke = {}): Promise<AgentResult> {
      return withSchemaFile(request, async (schemaFile) => {
        const program: AgentProgram = {
          title: "Codex",
          file: options.file ?? "codex",
          args: codexArgs(request, options, schemaFile),
          ownEnv: ["OPENAI_*", "CODEX_*"],
          input: `${request.systemPrompt}\n\n---\n\n${request.prompt}`,
          installHint: "Install it with: npm install -g @openai/codex",
        };
        const { reading, read } = createCodexReader(invoke.onEvent ?? (() => undefined));
        const outcome = await runAgent(program, request, options, invoke, read);
        const problem =
          failureOfProcess(outcome, program, options) ?? failureOfTurn(reading, request, outcome);
        const structured = request.outputSchema && structuredOf(reading.text);
        return {
          ...(problem && { failure: problem }),
          text: reading.text,
          ...(structured && { structured }),
          ...(reading.threadId && { sessionId: reading.threadId }),
          ...(outcome.started ? await costs(reading, options) : NOTHING_SPENT),
          durationMs: outcome.durationMs,
        };
      });
    },
  };
}
