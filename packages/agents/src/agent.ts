import type { ProcessIdentity } from "@quasar/process";

/** Who works in a turn. */
export type AgentRole = "coder" | "reviewer";

/** What an agent can do by itself; the loop does the rest. */
export interface AgentCapabilities {
  /** Its answers can be held to a JSON schema. */
  readonly structuredOutput: boolean;
  /** It takes a session id of our choice, so that we know it before the start. */
  readonly choosesSessionId: boolean;
  /** It says, or lets us compute, what a turn cost. */
  readonly reportsCost: boolean;
  /** It reports usage while it works, so that a budget can be watched within a turn. */
  readonly streamsUsage: boolean;
  /** It continues in the conversation of an earlier turn of the same role. */
  readonly resumesSession: boolean;
  /**
   * Its turns have a supervisor: `onStart` is called before anything is asked, and awaited; where the request has
   * a `turnsDir`, how the turn ended outlives a crash and a power cut there.
   *
   * @default false
   */
  readonly supervised?: boolean | undefined;
}

export interface AgentRequest {
  /** In the agent's environment as `QUASAR_RUN_ID`: how its processes are found again. */
  readonly runId: string;
  /** `<run id>.<n>`. */
  readonly turnId: string;
  readonly role: AgentRole;
  /** Sent on standard input, never as an argument. */
  readonly prompt: string;
  /** The role's standing instructions. */
  readonly systemPrompt: string;
  /** Absolute path of the work tree. */
  readonly workTree: string;
  /** A coder writes, a reviewer reads. */
  readonly access: "read" | "write";
  /**
   * Shell commands that a person named: an agent that may write runs them as they stand, and with further arguments.
   * @default none
   */
  readonly commands?: readonly string[] | undefined;
  /** US dollars this turn may spend; `undefined` is no limit. */
  readonly maxCostUsd?: number | undefined;
  /** JSON schema of the answer; ignored by an agent without `structuredOutput`. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /**
   * A UUID to use as the session's id; ignored by an agent without `choosesSessionId`. With
   * `resumesSession` the session of an earlier turn, to continue in.
   */
  readonly sessionId?: string | undefined;
  /** @default false */
  readonly resumesSession?: boolean | undefined;
  /**
   * Absolute path of a folder for the turn's files, from which a later process learns how the turn
   * ended. Without one the agent ends with this process. @default none
   */
  readonly turnsDir?: string | undefined;
  /** Variables that it gets beside those of its environment, such as its git's. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Whether the agent ends when this process does. @default false */
  readonly leash?: boolean | undefined;
}

/** What an agent reports while it works. All text in it is hostile until cleaned for its reader. */
export type AgentEvent =
  /** Its conversation has this id: worth storing at once. */
  | { readonly type: "session"; readonly sessionId: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string; readonly detail: string }
  /** What it was not allowed to do: {@link AgentDenial.what}. */
  | { readonly type: "denied"; readonly what: string }
  /** What this turn has cost so far, in US dollars. */
  | { readonly type: "usage"; readonly costUsd: number }
  /** It asks a model whose price is not known; its turn is held to so many tokens of such. */
  | {
      readonly type: "unpriced";
      readonly model: string;
      /** `undefined`: no limit. */
      readonly maxTokens: number | undefined;
    }
  /** It tries a request again by itself. */
  | { readonly type: "retry"; readonly message: string };

export type AgentFailureKind =
  | "auth"
  | "billing"
  | "rate-limit"
  | "overloaded"
  | "context-overflow"
  | "prompt-too-large"
  | "budget"
  | "turn-limit"
  | "refused-permissions"
  /** The model does not do what it is asked, and would not in the same conversation. */
  | "refusal"
  | "schema"
  | "empty-answer"
  | "session-missing"
  | "session-busy"
  | "network"
  | "timeout-idle"
  | "timeout-total"
  | "cancelled"
  | "killed"
  | "bad-output"
  | "output-too-large"
  | "not-installed"
  | "usage"
  | "unknown";

export interface AgentFailure {
  readonly kind: AgentFailureKind;
  /** One sentence for a person. Hostile text is cut out or cleaned. */
  readonly message: string;
  /** The same request may succeed later without anybody changing anything. */
  readonly retryable: boolean;
  /** RFC 3339: when a limit is lifted, where the agent said so. */
  readonly retryAt?: string | undefined;
  /** Of `turn-limit`, where the turn was stopped for it: how many requests to the model it made. */
  readonly requests?: number | undefined;
  /** Of `refused-permissions`. */
  readonly denials?: readonly AgentDenial[] | undefined;
}

/** Something that an agent wanted to do and was not allowed to. */
export interface AgentDenial {
  /** The command, or the tool with what it was for: one line, cleaned. */
  readonly what: string;
  /** What would allow it, in the words in which this agent is allowed tools. */
  readonly allow: readonly string[];
}

/** How a turn ended. A failed turn has cost money too, and may have said something. */
export interface AgentResult {
  readonly failure?: AgentFailure | undefined;
  /** The final answer; `""` when there was none. */
  readonly text: string;
  /** In the order in which they happened, each once. @default none */
  readonly denials?: readonly AgentDenial[] | undefined;
  /** The answer as JSON, where a schema was asked for and met. */
  readonly structured?: unknown;
  readonly sessionId?: string | undefined;
  /** US dollars of this turn alone; `undefined` is unknown, which is not zero. */
  readonly costUsd?: number | undefined;
  /** `partial`: the agent ended before it could say all, so the cost is at least this. */
  readonly costSource: "reported" | "computed" | "partial" | "unknown";
  /**
   * US dollars that it may have cost beyond `costUsd`, at most, where that is `partial` or `unknown`.
   *
   * @default nobody can say: the turn's reservation counts
   */
  readonly unknownUsd?: number | undefined;
  readonly durationMs: number;
  /** What a person should know of how it was taken, a sentence each. @default none */
  readonly notices?: readonly string[] | undefined;
  /** What it has written in the file system of the work tree is on disk. @default false */
  readonly workIsSynced?: boolean | undefined;
  /** Version of the agent's program, where it says so. */
  readonly agentVersion?: string | undefined;
}

/** A turn that an earlier process began and whose end it did not learn. */
export interface UnfinishedTurn {
  /** As it was begun, but for the prompt, which is `""`. `sessionId` is set once it was known. */
  readonly request: AgentRequest;
  /** What was told to `onStart`; `undefined` when nothing was. */
  readonly process: ProcessIdentity | undefined;
}

/** What is found of an {@link UnfinishedTurn}. */
export type FoundTurn =
  /** Its agent works on: it can be followed to its end. */
  | { readonly state: "alive" }
  /** It has ended, and how can be read, or was: `result` is what `adopt` would resolve to. */
  | { readonly state: "ended"; readonly result?: AgentResult | undefined }
  /** Its agent was killed, or who ran it. The cost is what is known of it. */
  | ({
      readonly state: "died";
      /** To be continued; `""`: there is nothing to continue from; `undefined`: as it was stored. */
      readonly sessionId: string | undefined;
      /** It works on all the same, with nobody to hold it: `end` ends it. @default false */
      readonly isLeft?: boolean | undefined;
    } & Pick<AgentResult, "costUsd" | "costSource" | "unknownUsd">)
  /** No agent was started for it: nothing was done, nothing was spent. */
  | { readonly state: "not-started" }
  /** Nothing is known. */
  | { readonly state: "unknown" };

export interface InvokeOptions {
  /** Cancels the turn: gently first, then with force. The result then has the failure `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /**
   * Told of the process that runs the agent when it exists and before it may do anything: the agent
   * begins when the promise resolves, and is never started if it rejects. An invoker without a
   * process does not call it.
   */
  readonly onStart?: ((process: ProcessIdentity) => Promise<void>) | undefined;
}

/**
 * The loop's way to an agent.
 *
 * `invoke` resolves for everything that an agent can do wrong and rejects for a mistake of ours
 * only, so that the cost and the session of a failed turn are never lost.
 *
 * `invoke`, `find` and `adopt` reject with an error of the code `ERR_TURN_UNREADABLE` where the turn
 * cannot be read just now: its agent may work on, so the run stops and leaves it alone.
 */
export interface AgentInvoker {
  /** For people: `claude`, `codex`, `scripted` … */
  readonly name: string;
  /** In a sentence: `Claude Code`. @default the name */
  readonly title?: string | undefined;
  readonly capabilities: AgentCapabilities;
  /**
   * The most that one response of a turn may cost that is about to be invoked, in US dollars; `undefined`:
   * nobody can say.
   */
  responseBoundUsd?(request: AgentRequest): number | undefined;
  invoke(request: AgentRequest, options?: InvokeOptions): Promise<AgentResult>;
  /** Looks for an unfinished turn. Changes nothing. */
  find?(turn: UnfinishedTurn): Promise<FoundTurn>;
  /**
   * The end of a turn that was found `alive` or `ended`: waited for, or read. What the agent had said
   * before is told to `onEvent` again.
   */
  adopt?(turn: UnfinishedTurn, options?: InvokeOptions): Promise<AgentResult>;
  /** Ends whatever of a turn still runs, so that it can be started again. */
  end?(turn: UnfinishedTurn): Promise<void>;
}
