import { isAbsolute, normalize } from "node:path";
import type { AgentFailureKind } from "./agent.ts";
import * as v from "valibot";
import { AgentsError } from "./errors.ts";
import { FAILURE_KINDS } from "./failure.ts";

/** A step of a scripted turn that leaves something in the work tree. */
export interface ScriptedStep {
  readonly text: string;
  /** Files to write once it is said, by path in the work tree. @default none */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

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
  readonly says?: readonly (string | ScriptedStep)[] | undefined;
  /** Files to write, by path in the work tree, at the turn's end. @default none */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** The final answer. @default "" */
  readonly text?: string | undefined;
  /** US dollars, reported in parts while it works; with a model it is the model that bills. @default 0 */
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
  /**
   * A model server on this machine that is asked before each step, and says what the step costs:
   * `http://127.0.0.1:<port>/…` or `http://localhost:<port>/…`. @default none
   * @see SPEC.md, "Scripted model"
   */
  readonly model?: string | undefined;
  /**
   * Absolute path of a folder for what each session was answered, so that a turn can be continued.
   * @default none: a turn is started from its beginning
   * @see SPEC.md, "Scripted sessions"
   */
  readonly sessions?: string | undefined;
  /**
   * US dollars that one answer of the model costs at most: a turn that may not spend twice as much is not
   * started, and one that is killed counts with as much as may have been under way.
   * @default nobody can say
   */
  readonly responseUsd?: number | undefined;
}

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

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

function isOnLoopback(text: string): boolean {
  if (!URL.canParse(text)) {
    return false;
  }
  const { protocol, hostname, username, password } = new URL(text);
  return protocol === "http:" && LOOPBACK.has(hostname) && username === "" && password === "";
}

export const ScriptedFailure: v.GenericSchema<
  unknown,
  NonNullable<ScriptedTurn["failure"]>
> = v.object({
  kind: v.picklist(FAILURE_KINDS),
  message: v.string(),
  retryAt: v.exactOptional(v.pipe(v.string(), v.isoTimestamp())),
});

const Files = v.record(
  v.pipe(v.string(), v.check(isInside, "is not in the work tree")),
  v.string(),
);

const Script = v.object({
  turns: v.array(
    v.strictObject({
      role: v.picklist(["coder", "reviewer"]),
      match: v.optional(v.pipe(v.string(), v.check(isPattern, "is no regular expression"))),
      says: v.optional(
        v.array(
          v.union([v.string(), v.strictObject({ text: v.string(), files: v.optional(Files) })]),
        ),
      ),
      files: v.optional(Files),
      text: v.optional(v.string()),
      costUsd: v.optional(v.pipe(v.number(), v.finite(), v.minValue(0))),
      delayMs: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(DAY_MS))),
      failure: v.optional(ScriptedFailure),
      exitCode: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))),
    }),
  ),
  model: v.optional(v.pipe(v.string(), v.check(isOnLoopback, "is not http://127.0.0.1"))),
  sessions: v.optional(
    v.pipe(
      v.string(),
      v.check((path) => isAbsolute(path) && !path.includes("\0"), "is no absolute path"),
    ),
  ),
  responseUsd: v.optional(v.pipe(v.number(), v.finite(), v.minValue(0))),
});

/** @throws {AgentsError} `ERR_INVALID_SCRIPT` naming the first thing that is wrong. */
export function checkScript(value: unknown): AgentScript {
  const parsed = v.safeParse(Script, value);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const where = v.getDotPath(issue) ?? "the script";
    throw new AgentsError("ERR_INVALID_SCRIPT", `${where}: ${issue.message}`);
  }
  return parsed.output;
}

/**
 * Reads a script: a JSON object with `turns`, and perhaps `model`, `sessions` and `responseUsd`.
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
